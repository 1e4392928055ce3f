//! Says what a text names that is not there.
//!
//! In: what was found at one place, for each variant that prints it. Out: a diagnostic.
//! Never: repeats the text.

use std::collections::BTreeSet;

use super::Owner;
use super::judge::Fault;
use super::lexicon::Lexicon;
use crate::diagnostic::{Code, Diagnostic, Origin, did_you_mean, listed};

/// A name at one place.
pub(super) struct Found {
    pub name: String,
    pub fault: Fault,
    pub owner: Owner,
    pub origin: Origin,
    /// What the tool of that name is for.
    pub role: Option<String>,
    /// The variants that print it.
    pub variants: BTreeSet<String>,
}

impl Found {
    pub(super) fn told(self, lexicon: &Lexicon<'_>) -> Diagnostic {
        let (code, message) = self.message();
        let help = self.help(lexicon);
        Diagnostic::new(code, message, self.origin).help(help)
    }

    fn message(&self) -> (Code, String) {
        let name = &self.name;
        match self.fault {
            Fault::NotOffered => {
                let variants = listed(self.variants.iter().map(String::as_str));
                let (noun, verb) = match self.variants.len() {
                    1 => ("variant", "does"),
                    _ => ("variants", "do"),
                };
                let message = format!(
                    "the text names tool `{name}`, which {noun} {variants} {verb} not offer"
                );
                (Code::ToolAbsent, message)
            }
            Fault::NoTool => {
                (Code::ToolAbsent, format!("the text names a tool `{name}`, which nothing has"))
            }
            Fault::Literal => {
                let message =
                    format!("`{{{{{name}}}}}` is printed as it is: the text is no template");
                (Code::PlaceholderLiteral, message)
            }
            Fault::Escaped => {
                let message = format!("`{{{{{name}}}}}` is printed as it is: it is escaped");
                (Code::PlaceholderLiteral, message)
            }
            Fault::NoSkill => {
                (Code::SkillAbsent, format!("the text names skill `{name}`, which is not there"))
            }
            Fault::NoFile => {
                (Code::FileAbsent, format!("the text names the file `{name}`, which no pack has"))
            }
        }
    }

    fn help(&self, lexicon: &Lexicon<'_>) -> String {
        let name = &self.name;
        match (self.fault, self.owner) {
            (Fault::NotOffered, Owner::Tool) => {
                "offer it, or word the tool for the variant by `[variant.<id>]`".into()
            }
            (Fault::NotOffered, Owner::Prompt | Owner::Value) => match &self.role {
                Some(role) => format!(
                    "print what there is by `{{{{tool \"{role}\"}}}}`, or ask first: `{{{{#if (has_tool \"{name}\")}}}}`"
                ),
                None => format!("offer it, or ask first: `{{{{#if (has_tool \"{name}\")}}}}`"),
            },
            (Fault::NoTool, _) => match lexicon.near(name) {
                Some(near) => format!("did you mean `{near}`?"),
                None => did_you_mean(name, lexicon.tools(), || {
                    "list it in `tools` of the variant if the host brings it, or take it out".into()
                }),
            },
            (Fault::Literal, Owner::Value) => {
                "values are never rendered; write it into a template".into()
            }
            (Fault::Literal, Owner::Prompt | Owner::Tool) => {
                "write `template` instead of `text`, or put it into a code block if it is an example"
                    .into()
            }
            (Fault::Escaped, _) => {
                "take the backslash away, or put it between backticks if it is an example".into()
            }
            (Fault::NoSkill, _) => {
                let skills = lexicon.skills.into_iter().flatten().map(String::as_str);
                did_you_mean(name, skills, || {
                    "`promptweave skills list` shows those that there are".into()
                })
            }
            (Fault::NoFile, _) => "name one that is there, or take it out".into(),
        }
    }
}
