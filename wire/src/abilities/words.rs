//! The words of the data file.
//!
//! In: names. Out: enums, and their names again. Never: a model.

use serde::Deserialize;

/// Whether something can be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "bool")]
pub enum Support {
    /// It can.
    Yes,
    /// It cannot.
    #[default]
    No,
}

impl From<bool> for Support {
    fn from(has: bool) -> Self {
        if has { Self::Yes } else { Self::No }
    }
}

/// How a value stands in the data file.
pub(super) trait InData {
    fn written(&self) -> String;
}

impl InData for usize {
    fn written(&self) -> String {
        self.to_string()
    }
}

impl InData for Support {
    fn written(&self) -> String {
        if self.has() { "yes".to_owned() } else { "no".to_owned() }
    }
}

impl Support {
    pub(crate) fn has(self) -> bool {
        self == Self::Yes
    }
}

/// Defines an enum of the data file's words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl InData for $name {
            fn written(&self) -> String {
                snake(match self { $(Self::$variant => stringify!($variant),)* })
            }
        }
    };
}

/// A variant's name in snake case.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

words! {
    /// How a model calls tools.
    ToolCalls {
        /// By the API's own means.
        #[default]
        Native,
        /// In its text; we describe tools and syntax behind the system prompt.
        Text,
        /// In its text; the system prompt describes them already.
        Described,
    }
}
words! {
    /// How a cache mark is written.
    MarkForm {
        /// `cache_control` on a block.
        Control,
        /// A `cachePoint` behind it.
        Points,
        /// `prompt_cache_breakpoint` on a part.
        Breakpoints,
        /// Not at all.
        #[default]
        None,
    }
}
words! {
    /// The role of system text where it is a message.
    SystemRole {
        /// `system`.
        #[default]
        System,
        /// `developer`.
        Developer,
    }
}
words! {
    /// The field for the limit of output.
    LimitField {
        /// `max_tokens`.
        #[default]
        MaxTokens,
        /// `max_completion_tokens`.
        MaxCompletionTokens,
    }
}
words! {
    /// How a model is told to think.
    ThinkingForm {
        /// It cannot be told.
        #[default]
        None,
        /// A budget of tokens.
        Budget,
        /// Anthropic's adaptive thinking, with an effort.
        Adaptive,
        /// An effort.
        Effort,
        /// Gemini's level.
        Level,
    }
}
words! {
    /// The highest effort that is taken; a higher one is lowered to it.
    TopEffort {
        /// `high`.
        #[default]
        High,
        /// `xhigh`.
        Xhigh,
        /// `max`.
        Max,
    }
}
words! {
    /// Whether reasoning of earlier turns goes back.
    ReasoningBack {
        /// It is left out.
        #[default]
        Drop,
        /// It goes back where it is there.
        Send,
        /// A message with calls is refused without it.
        Needed,
    }
}
words! {
    /// What ids of calls may be.
    IdForm {
        /// Anything.
        #[default]
        Any,
        /// `[A-Za-z0-9_-]{1,64}`.
        Plain,
        /// Nine letters and digits.
        Nine,
    }
}
words! {
    /// Where system text stands.
    SystemPlace {
        /// In a place of its own.
        #[default]
        Own,
        /// At the head of the user's first message.
        First,
    }
}
words! {
    /// The field for the user's id.
    UserField {
        /// There is none.
        #[default]
        None,
        /// `user`.
        User,
        /// `safety_identifier`.
        SafetyIdentifier,
    }
}
words! {
    /// How much of `tool_choice` is taken.
    ChoiceForm {
        /// All of it.
        #[default]
        Full,
        /// `auto` alone.
        Auto,
        /// Nothing.
        None,
    }
}
