//! What a conversion changed: every adaptation is told, by a stable code.
//!
//! In: codes and places. Out: [`Note`]s, one for each code. Never: text of a prompt.

/// Something that the provider cannot take as it was asked for, or that the host cannot take as it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What was done.
    pub code: NoteCode,
    /// The first place in the request, as a JSON pointer; empty where it is about the request as a whole, as marks are, or about the
    /// answer.
    pub at: String,
    /// How many places there are.
    pub count: usize,
}

impl Note {
    /// The note as JSON: `{code, meaning, at, count}`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "code": self.code.as_str(), "meaning": self.code.meaning(), "at": self.at, "count": self.count,
        })
    }
}

/// Defines the codes once: the enum, their names and what they mean.
macro_rules! codes {
    ($($variant:ident $name:literal $meaning:literal,)*) => {
        /// What a conversion did, beside saying the same in other words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum NoteCode {
            $(#[doc = $meaning] $variant,)*
        }

        impl NoteCode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable name, e.g. `mark-dropped`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What was done.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    AttributionDropped "attribution-dropped" "the attribution block is for Anthropic alone, and was left out",
    BlockDropped "block-dropped" "a block of a kind that the provider does not have was left out",
    CarryDropped "carry-dropped" "what another provider wanted back was left out",
    DocumentAsText "document-as-text" "a document of plain text became text",
    DocumentDropped "document-dropped" "a document that the model cannot read was replaced by a line that says so",
    EmptyTextDropped "empty-text-dropped" "an empty text block was left out, since the provider refuses it",
    ErrorAsText "error-as-text" "that a call failed is said in its result's text",
    FieldDropped "field-dropped" "a field of the request that the provider does not have was left out",
    IdChanged "id-changed" "a call's id was replaced by one that the provider takes",
    ImageDropped "image-dropped" "an image that the model cannot see was replaced by a line that says so",
    ImageMoved "image-moved" "an image in a result stands behind the results",
    MarkDropped "mark-dropped" "a cache mark was left out: the provider has none, or not there",
    MarkMoved "mark-moved" "automatic caching became a mark on the last block that can carry one",
    MarksOver "marks-over" "cache marks over the limit were left out, those of early messages first",
    NameShortened "name-shortened" "a tool is declared by a shorter name; its calls come back with its own",
    ParallelDropped "parallel-dropped" "that calls may not be parallel cannot be said, and was left out",
    PieceDropped "piece-dropped" "a piece of the answer that fits nowhere was left out",
    ReasoningMissing "reasoning-missing" "the model wants its reasoning back, and the request does not have it: an empty one was sent",
    SamplingDropped "sampling-dropped" "temperature, top_p or top_k are not taken by the model, and were left out",
    SchemaAdapted "schema-adapted" "parts of a tool's schema that the provider refuses were rewritten or left out",
    ScopeDropped "scope-dropped" "the scope of a cache mark was left out",
    ServerToolDropped "server-tool-dropped" "a tool that Anthropic runs itself was left out",
    SignatureMissing "signature-missing" "a call without its signature got the documented placeholder",
    StopDropped "stop-dropped" "the provider takes no stop sequences; the host has to stop by itself",
    StopShortened "stop-shortened" "stop sequences over the limit were left out",
    SystemMoved "system-moved" "system text stands where the provider has a place for it",
    ThinkingAdapted "thinking-adapted" "how much to think is said in the provider's own words",
    ThinkingDropped "thinking-dropped" "thinking was left out: the model has none, or wants none of it back",
    ToolChoiceAdapted "tool-choice-adapted" "the choice of tools was said as closely as the provider can",
    ToolsAsText "tools-as-text" "tools, calls and results stand in the text, since the model has no calls of its own",
    TtlLowered "ttl-lowered" "a cache mark lives for five minutes: the provider has no hour, or a shorter one stands before it",
    UsageClamped "usage-clamped" "a count of the answer's tokens that cannot be became the nearest one that can",
    UserDropped "user-dropped" "the user's id has no place there, and was left out",
}

/// Collects notes: one for each code, in the order in which they came up.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<Note>);

impl Notes {
    pub(crate) fn add(&mut self, code: NoteCode, at: impl Into<String>) {
        match self.0.iter_mut().find(|note| note.code == code) {
            Some(note) => note.count += 1,
            None => self.0.push(Note { code, at: at.into(), count: 1 }),
        }
    }

    pub(crate) fn as_slice(&self) -> &[Note] {
        &self.0
    }

    pub(crate) fn into_vec(self) -> Vec<Note> {
        self.0
    }
}
