//! Decides whether a name that a text holds is missing where it stands.
//!
//! In: a [`Mention`], the way to it, the tools of the variant. Out: a [`Fault`] or nothing.
//! Never: takes a word for the name of a tool by its looks alone: it is one that some other variant has, or one near it, or it is
//! written as a call or called a tool.

use super::lexicon::Lexicon;
use super::scan::{Form, Mention, is_code, is_compound};
use super::way::{Offer, Way};

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The variant does not offer the tool, though others may.
    NotOffered,
    /// Nothing has a tool of that name.
    NoTool,
    /// The braces are printed: the text is no template.
    Literal,
    /// The braces are printed: they are escaped.
    Escaped,
    NoSkill,
    NoFile,
}

/// Whether a text is a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Template,
    Literal,
}

pub(super) fn judge(
    mention: &Mention,
    way: &Way<'_>,
    offer: Offer<'_>,
    (lexicon, kind): (&Lexicon<'_>, Kind),
) -> Option<Fault> {
    let name = &*mention.name;
    let fault = match mention.form {
        Form::Skill => {
            let known = lexicon.skills?.contains(name);
            (!known).then_some(Fault::NoSkill)
        }
        Form::File => (!lexicon.has_file(name)).then_some(Fault::NoFile),
        Form::Braces { ticked } => braces(name, ticked, (lexicon, kind)),
        form if lexicon.has_tool(name) => {
            let missing = !offer.has(name) && is_known(name, form, lexicon);
            missing.then_some(Fault::NotOffered)
        }
        form => is_unknown(name, form, lexicon).then_some(Fault::NoTool),
    };
    fault.filter(|_| !way.asks_for(name) && !way.is_closed(&offer))
}

/// Whether the name of a tool that there is means that tool.
fn is_known(name: &str, form: Form, lexicon: &Lexicon<'_>) -> bool {
    match form {
        Form::Spoken | Form::Call | Form::Field => true,
        Form::Ticked | Form::Bare | Form::Tag => is_compound(name) && !lexicon.is_other(name),
        Form::Skill | Form::File | Form::Braces { .. } => false,
    }
}

/// Whether a name that nothing has means a tool.
fn is_unknown(name: &str, form: Form, lexicon: &Lexicon<'_>) -> bool {
    if !lexicon.has_tools() || !is_compound(name) || lexicon.is_other(name) {
        return false;
    }
    match form {
        Form::Call => true,
        Form::Spoken => is_code(name) || lexicon.near(name).is_some(),
        Form::Bare | Form::Tag | Form::Field => lexicon.near(name).is_some(),
        // Functions of the user's language are written so: `readFile`.
        Form::Ticked => name.contains(['_', '-']) && lexicon.near(name).is_some(),
        Form::Skill | Form::File | Form::Braces { .. } => false,
    }
}

/// What is wrong with a name in braces that is printed with them. An escape is written by intent: only a name that no
/// other language of templates would have counts there.
fn braces(name: &str, ticked: bool, (lexicon, kind): (&Lexicon<'_>, Kind)) -> Option<Fault> {
    let (known, shouts) = (lexicon.has_placeholder(name), is_placeholder(name));
    match kind {
        Kind::Literal => {
            (known && shouts || !ticked && (known || shouts)).then_some(Fault::Literal)
        }
        Kind::Template => (!ticked && shouts).then_some(Fault::Escaped),
    }
}

/// `LIKE_THIS`.
fn is_placeholder(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() > 2 && name.bytes().all(fits)
}
