//! Says what a text names that is not there.
//!
//! In: what was found at one place, for each variant that prints it. Out: a diagnostic; of many in a file the first ones, and
//! how many more there are. Never: repeats the text.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::Owner;
use super::judge::Fault;
use super::lexicon::Lexicon;
use crate::diagnostic::{Code, Diagnostic, Origin, did_you_mean, listed};

/// So many findings of a file are told one by one.
const MAX_TOLD: usize = 100;

/// A name at one place.
pub(super) struct Found {
    pub name: String,
    pub fault: Fault,
    pub owner: Owner,
    pub origin: Origin,
    /// What the tool of that name is for.
    pub role: Option<String>,
    /// The variants that print it; none where it is not known that one does.
    pub variants: BTreeSet<String>,
}

/// What a file names and does not have.
#[derive(Default)]
pub(super) struct Held {
    /// By place and name, at most [`MAX_TOLD`].
    found: BTreeMap<(usize, String), Found>,
    /// Where there is more, each with the length of its name.
    more: BTreeSet<(usize, usize)>,
    /// The first of that.
    next: Option<(Code, Origin)>,
}

impl Held {
    /// Holds what `new` makes of a name at a place, if it is not held yet; the variant is one that prints it.
    pub(super) fn hold(
        &mut self,
        (start, name): (usize, &str),
        variant: Option<String>,
        new: impl FnOnce() -> Found,
    ) {
        let is_full = self.found.len() >= MAX_TOLD;
        match self.found.entry((start, name.to_owned())) {
            Entry::Vacant(_) if is_full => {
                self.more.insert((start, name.len()));
                self.next.get_or_insert_with(|| {
                    let found = new();
                    (found.message().0, found.origin)
                });
            }
            entry => entry.or_insert_with(new).variants.extend(variant),
        }
    }

    /// Each of the first, and how many more there are.
    pub(super) fn told(self, lexicon: &Lexicon<'_>) -> Vec<Diagnostic> {
        let mut told: Vec<_> = self.found.into_values().map(|found| found.told(lexicon)).collect();
        told.extend(self.next.map(|(code, origin)| {
            let count = self.more.len();
            let message = format!("the file names what is not there at {count} more of its places");
            Diagnostic::new(code, message, origin).help("mend those that are told, and check again")
        }));
        told
    }
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
                let verb = if self.variants.len() == 1 { "does" } else { "do" };
                let variants = self.of_variants();
                let message =
                    format!("the text names tool `{name}`, which {variants} {verb} not offer");
                (Code::ToolAbsent, message)
            }
            Fault::NoTool => {
                let message = format!("the text names a tool `{name}`, which nothing has");
                (Code::ToolAbsent, message + &self.printed_by())
            }
            Fault::Literal => {
                let message =
                    format!("`{{{{{name}}}}}` is printed as it is: the text is no template");
                (Code::PlaceholderLiteral, message + &self.printed_by())
            }
            Fault::Escaped => {
                let message = format!("`{{{{{name}}}}}` is printed as it is: it is escaped");
                (Code::PlaceholderLiteral, message + &self.printed_by())
            }
            Fault::NoSkill => {
                let message = format!("the text names skill `{name}`, which is not there");
                (Code::SkillAbsent, message + &self.printed_by())
            }
            Fault::NoFile => {
                let message = format!("the text names the file `{name}`, which no pack has");
                (Code::FileAbsent, message + &self.printed_by())
            }
        }
    }

    /// The end of a message: the variants, where they are known.
    fn printed_by(&self) -> String {
        let verb = if self.variants.len() == 1 { "prints" } else { "print" };
        match self.variants.is_empty() {
            true => String::new(),
            false => format!("; {} {verb} it", self.of_variants()),
        }
    }

    fn of_variants(&self) -> String {
        let noun = if self.variants.len() == 1 { "variant" } else { "variants" };
        format!("{noun} {}", listed(self.variants.iter().map(String::as_str)))
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
