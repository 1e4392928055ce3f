//! What a model takes in a request.
//!
//! In: rules of data, a target and a model's id. Out: [`Abilities`], a plain value that a host may change. Never: a model's name
//! in code.

mod words;

use std::sync::OnceLock;

use serde::Deserialize;

use crate::target::Target;
use words::InData as _;
pub use words::{
    ChoiceForm, IdForm, LimitField, MarkForm, ReasoningBack, Support, SystemPlace, SystemRole,
    ThinkingForm, ToolCalls, TopEffort, UserField,
};

/// Defines abilities once: as they are written, and as they are meant.
macro_rules! abilities {
    ($($(#[$doc:meta])* $key:ident: $kind:ty,)*) => {
        /// What a model takes in a request. `data/abilities.toml` says what each key means.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Abilities {
            $($(#[$doc])* pub $key: $kind,)*
        }

        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Rule {
            targets: Vec<String>,
            models: Option<Vec<String>>,
            $($key: Option<$kind>,)*
        }

        impl Abilities {
            fn apply(&mut self, rule: &Rule) {
                $(if let Some(value) = &rule.$key { self.$key = *value; })*
            }

            /// Keys and values, as the data file writes them.
            pub(crate) fn entries(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($key), self.$key.written()),)*]
            }
        }
    };
}

abilities! {
    /// How it calls tools.
    tool_calls: ToolCalls,
    /// It sees images.
    images: Support,
    /// It reads documents.
    documents: Support,
    /// It sees images in results of calls.
    result_images: Support,
    /// How cache marks are written.
    marks: MarkForm,
    /// Tools may carry marks.
    mark_tools: Support,
    /// A mark may stand beside the result of a call.
    mark_results: Support,
    /// Automatic caching can be asked for.
    auto_mark: Support,
    /// How many marks a request may hold.
    max_marks: usize,
    /// A mark may live for an hour.
    hour: Support,
    /// A mark may carry a scope.
    scope: Support,
    /// The role of system text.
    role: SystemRole,
    /// The field for the limit of output.
    limit: LimitField,
    /// How many stop sequences a request may hold.
    max_stops: usize,
    /// `temperature` and `top_p` are taken.
    sampling: Support,
    /// `top_k` is taken.
    top_k: Support,
    /// How it is told to think.
    thinking: ThinkingForm,
    /// The highest effort that it takes.
    top_effort: TopEffort,
    /// The attribution block is read, and not billed as part of the prompt.
    attribution: Support,
    /// Whether reasoning goes back.
    reasoning_back: ReasoningBack,
    /// The first call of a turn needs its signature.
    signatures: Support,
    /// What ids may be.
    ids: IdForm,
    /// The longest name of a tool, in bytes.
    max_name: usize,
    /// The last message may be the assistant's.
    prefill: Support,
    /// Where system text stands.
    system: SystemPlace,
    /// System text may stand among the messages.
    system_messages: Support,
    /// The field for the user's id.
    user: UserField,
    /// Calls in parallel can be forbidden.
    parallel: Support,
    /// How much of `tool_choice` is taken.
    choice: ChoiceForm,
    /// Counts in a stream must be asked for.
    usage: Support,
}

/// Rules from which abilities are made.
#[derive(Clone, Debug)]
pub struct AbilityData(Vec<Rule>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: u32,
    #[serde(default)]
    rule: Vec<Rule>,
}

/// A file of abilities cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AbilityError {
    /// It is no TOML of this shape; the text says where and why.
    #[error("the abilities cannot be read: {0}")]
    Shape(String),
    /// Its format is another.
    #[error("the abilities have format {0}, and only 1 is known")]
    Format(u32),
    /// A rule names a target that there is not.
    #[error("there is no target `{0}`")]
    Target(String),
}

impl AbilityData {
    /// The rules that come along.
    pub fn builtin() -> &'static Self {
        static DATA: OnceLock<AbilityData> = OnceLock::new();
        // A test reads the file; were it broken, no model could do anything.
        DATA.get_or_init(|| {
            Self::from_toml(include_str!("../../data/abilities.toml")).unwrap_or(Self(Vec::new()))
        })
    }

    /// Rules of a file.
    ///
    /// # Errors
    /// [`AbilityError`].
    pub fn from_toml(text: &str) -> Result<Self, AbilityError> {
        let written: Written =
            toml::from_str(text).map_err(|error| AbilityError::Shape(error.to_string()))?;
        if written.format != 1 {
            return Err(AbilityError::Format(written.format));
        }
        let mut targets = written.rule.iter().flat_map(|rule| &rule.targets);
        match targets.find(|name| Target::from_name(name).is_none()) {
            Some(name) => Err(AbilityError::Target(name.clone())),
            None => Ok(Self(written.rule)),
        }
    }

    /// These rules, and then those of another file.
    #[must_use]
    pub fn overlaid(mut self, above: Self) -> Self {
        self.0.extend(above.0);
        self
    }

    /// What a model takes.
    pub fn abilities(&self, target: Target, model: &str) -> Abilities {
        let model = model.to_lowercase();
        let mut abilities = Abilities::default();
        let fits = |rule: &&Rule| {
            let named = |models: &Vec<String>| models.iter().any(|name| begins_word(&model, name));
            rule.targets.iter().any(|name| name == target.as_str())
                && rule.models.as_ref().is_none_or(named)
        };
        self.0.iter().filter(fits).for_each(|rule| abilities.apply(rule));
        abilities
    }
}

/// Whether a name stands in an id at the beginning of a word.
fn begins_word(id: &str, name: &str) -> bool {
    id.match_indices(name)
        .any(|(at, _)| !id[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_comes_along_is_whole() {
        let read = AbilityData::from_toml(include_str!("../../data/abilities.toml")).unwrap();
        for target in Target::ALL {
            let abilities = read.abilities(*target, "");
            assert!(abilities.max_name >= 64 && abilities.images.has(), "{target:?}");
        }
    }

    #[test]
    fn the_last_rule_counts_and_arns_are_claude() {
        let data = AbilityData::builtin();
        let arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/x1";
        assert_eq!(data.abilities(Target::Bedrock, arn).marks, MarkForm::Points);
        assert_eq!(data.abilities(Target::Bedrock, "us.meta.llama3-70b").marks, MarkForm::None);
        let own =
            "format = 1\n[[rule]]\ntargets = ['bedrock']\nmodels = ['llama']\nmarks = 'points'";
        let data = data.clone().overlaid(AbilityData::from_toml(own).unwrap());
        assert_eq!(data.abilities(Target::Bedrock, "us.meta.llama3-70b").marks, MarkForm::Points);
        for wrong in
            ["format = 2", "format = 1\n[[rule]]\ntargets = ['x']", "x", "format = 1\nx = 1"]
        {
            assert!(AbilityData::from_toml(wrong).is_err(), "{wrong}");
        }
    }
}
