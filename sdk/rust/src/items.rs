//! What an author implements.
//!
//! In: facts as constants, work as one function. Out: the items of a plugin. Never: state of its own; a
//! type that implements one of these is only a name, the state is passed in.

use crate::{Cx, Error};

/// How long what an item writes stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// For good, given the plugin, its configuration and the variant; it reads no key.
    Static,
    /// While the declared keys keep their values.
    Session,
    /// It may differ at every call. The reason is shown wherever somebody wonders why a provider's cache
    /// is missed; an empty one does not compile.
    Volatile(&'static str),
}

/// What a component came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// There is nothing to say; what was written is dropped.
    Nothing,
    /// What was written is the section; blank text is none.
    Written,
}

/// Yields the text of one section.
pub trait Component<S> {
    /// Names it: a letter, then letters, digits and `_`, at most 64 bytes.
    const ID: &'static str;
    /// One sentence for lists.
    const DESCRIPTION: &'static str;
    /// The context keys that it reads, such as `workspace.dir`; one covers what lies under it. Others are
    /// refused.
    const DEPS: &'static [&'static str] = &[];
    /// The ids of the earlier sections that it reads.
    const SECTIONS: &'static [&'static str] = &[];
    /// How long its text stays the same.
    const CACHE: Cache;

    /// Writes the section.
    ///
    /// # Errors
    /// Any; the prompt is then built without this section, and with a warning.
    fn render(state: &S, cx: &mut Cx<'_>) -> Result<Section, Error>;
}

/// Says whether a variant is for a context. It is asked only after the other keys of `[match]` hold.
pub trait Matcher<S> {
    /// Names it: a letter, then letters, digits, `_` and `-`, at most 64 bytes.
    const ID: &'static str;
    /// One sentence for lists.
    const DESCRIPTION: &'static str;
    /// The context keys that it reads.
    const DEPS: &'static [&'static str] = &[];

    /// Decides.
    ///
    /// # Errors
    /// Any; it counts as a no, with a warning.
    fn matches(state: &S, cx: &mut Cx<'_>) -> Result<bool, Error>;
}

/// Prints text within a template: `{{shout user.name}}`.
pub trait Helper<S> {
    /// Names it: a letter, then letters, digits and `_`, at most 64 bytes, and no name that templates know
    /// already.
    const ID: &'static str;
    /// One sentence for lists.
    const DESCRIPTION: &'static str;
    /// The context keys that it reads beside its arguments.
    const DEPS: &'static [&'static str] = &[];
    /// How long it prints the same for the same arguments.
    const CACHE: Cache;

    /// Writes the text; [`Cx::args`] are its arguments.
    ///
    /// # Errors
    /// Any; it then prints nothing, with a warning.
    fn help(state: &S, cx: &mut Cx<'_>) -> Result<(), Error>;
}

/// Reads the world (files, programs, the clock) once per session, before a variant is chosen.
pub trait Probe<S> {
    /// Names it: a letter, then letters, digits, `_` and `-`, at most 64 bytes.
    const ID: &'static str;
    /// One sentence for lists.
    const DESCRIPTION: &'static str;
    /// The context key where its result is put.
    const KEY: &'static str;
    /// The context keys that it reads.
    const DEPS: &'static [&'static str] = &[];

    /// Writes one JSON value; when nothing is written nothing was found, and the key stays absent.
    ///
    /// # Errors
    /// Any; the key then stays as it is, with a warning.
    fn probe(state: &S, cx: &mut Cx<'_>) -> Result<(), Error>;
}

/// A variant or a tool, which is data alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    pub(crate) id: &'static str,
    pub(crate) description: &'static str,
    pub(crate) json: &'static str,
}

impl Data {
    /// `json` holds what the file `<id>.toml` would hold, as JSON, without keys that name files;
    /// `include_str!` is the usual source.
    pub const fn new(id: &'static str, description: &'static str, json: &'static str) -> Self {
        Self { id, description, json }
    }
}
