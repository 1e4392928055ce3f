//! A plugin's items in a test, without a host around them.
//!
//! In: a plugin that is linked in, or a library; what a call shall see. Out: what the call gave, by the same code
//! as in a real host. Never: a build of a prompt; undeclared keys stay out of reach.

use std::path::Path;

use promptweave_abi::Entry;
use promptweave_loader::harness::{self, Called, Given, Where};
use promptweave_loader::{HostProgram, ItemKind, Limits, Plugin, Table};
use serde_json::{Map, Value as Json};

/// A plugin with one state.
///
/// ```
/// use promptweave_plugin::{Cache, Cx, Error, Helper, Matcher, Probe, export_plugin};
/// use promptweave_testkit::TestPlugin;
/// use serde_json::json;
///
/// struct OnMain;
/// struct Shout;
/// struct Answer;
///
/// impl Matcher<()> for OnMain {
///     const ID: &'static str = "on-main";
///     const DESCRIPTION: &'static str = "On the branch `main`";
///     const DEPS: &'static [&'static str] = &["git.branch"];
///
///     fn matches((): &(), cx: &mut Cx<'_>) -> Result<bool, Error> {
///         Ok(cx.get_str("git.branch")? == Some("main"))
///     }
/// }
///
/// impl Helper<()> for Shout {
///     const ID: &'static str = "shout";
///     const DESCRIPTION: &'static str = "Prints in capitals";
///     const CACHE: Cache = Cache::Static;
///
///     fn help((): &(), cx: &mut Cx<'_>) -> Result<(), Error> {
///         let (text,): (String,) = serde_json::from_str(cx.args())?;
///         cx.write(&text.to_uppercase())
///     }
/// }
///
/// impl Probe<()> for Answer {
///     const ID: &'static str = "answer";
///     const DESCRIPTION: &'static str = "Finds the answer";
///     const KEY: &'static str = "acme.answer";
///
///     fn probe((): &(), cx: &mut Cx<'_>) -> Result<(), Error> {
///         cx.write("42")
///     }
/// }
///
/// export_plugin! {
///     name: "acme", version: "1.0.0", matchers: [OnMain], helpers: [Shout], probes: [Answer],
/// }
///
/// let acme = TestPlugin::linked(plugin())?;
/// let here = json!({ "git": { "branch": "main" } });
/// assert!(acme.matcher("on-main").context(here).call().is_match());
/// assert_eq!(acme.helper("shout").args([json!("hi")]).call().text.as_deref(), Some("HI"));
/// assert_eq!(acme.probe("answer").call().json(), Some(json!(42)));
/// // What goes wrong in a call is told, as it is to a host.
/// assert!(acme.helper("shout").call().failure.is_some());
/// # Ok::<(), String>(())
/// ```
pub struct TestPlugin {
    plugin: Plugin,
}

impl TestPlugin {
    /// A plugin that is linked into the test, with an empty configuration.
    ///
    /// # Errors
    /// A sentence: its table is refused, or its `init` fails.
    pub fn linked(entry: Entry) -> Result<Self, String> {
        Self::linked_with(entry, &Json::Object(Map::new()))
    }

    /// The same with a configuration.
    ///
    /// # Errors
    /// As for [`linked`](Self::linked).
    pub fn linked_with(entry: Entry, config: &Json) -> Result<Self, String> {
        let plugin = harness::linked(entry, &config.to_string(), Limits::most())?;
        Ok(Self { plugin })
    }

    /// Opens a library in the test's own process, with an empty configuration. Its code runs with all rights of
    /// the test.
    ///
    /// # Errors
    /// A sentence: it cannot be loaded, its table is refused, or its `init` fails.
    pub fn open(library: impl AsRef<Path>) -> Result<Self, String> {
        Self::open_with(library, &Json::Object(Map::new()), Where::Here)
    }

    /// Opens a library in a child process, as hosts do.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_in_child(library: impl AsRef<Path>, program: HostProgram) -> Result<Self, String> {
        Self::open_with(library, &Json::Object(Map::new()), Where::Child(program))
    }

    /// Opens a library with a configuration.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(library: impl AsRef<Path>, config: &Json, at: Where) -> Result<Self, String> {
        let library = std::path::absolute(library).map_err(|error| error.to_string())?;
        let plugin = harness::open(&library, &config.to_string(), (at, Limits::most()))?;
        Ok(Self { plugin })
    }

    /// What the plugin says of itself.
    pub fn table(&self) -> &Table {
        self.plugin.table()
    }

    /// A call of a component; its text is a section.
    pub fn component(&self, id: &str) -> Call<'_> {
        self.item(ItemKind::Component, id)
    }

    /// A call of a matcher; [`Called::is_match`] says yes or no.
    pub fn matcher(&self, id: &str) -> Call<'_> {
        self.item(ItemKind::Matcher, id)
    }

    /// A call of a helper, with [`Call::args`].
    pub fn helper(&self, id: &str) -> Call<'_> {
        self.item(ItemKind::Helper, id)
    }

    /// A call of a probe; [`Called::json`] is what it found.
    pub fn probe(&self, id: &str) -> Call<'_> {
        self.item(ItemKind::Probe, id)
    }

    /// A call of a tool that has code; [`Called::json`] is its specification.
    pub fn tool(&self, id: &str) -> Call<'_> {
        self.item(ItemKind::Tool, id)
    }

    fn item(&self, kind: ItemKind, id: &str) -> Call<'_> {
        Call { plugin: &self.plugin, kind, id: id.to_owned(), given: Given::default() }
    }
}

/// A call that is being prepared: an empty context, the variant `generic`, no sections, no arguments.
#[must_use = "nothing happens before `call`"]
pub struct Call<'p> {
    plugin: &'p Plugin,
    kind: ItemKind,
    id: String,
    given: Given,
}

impl Call<'_> {
    /// The whole context: an object. The item reads of it what it declares.
    pub fn context(mut self, context: Json) -> Self {
        self.given.context = context;
        self
    }

    /// What `variant()` shows: an object, whose keys replace those of the variant `generic`.
    pub fn variant(mut self, variant: Json) -> Self {
        match (&mut self.given.variant, variant) {
            (Json::Object(known), Json::Object(own)) => known.extend(own),
            (known, own) => *known = own,
        }
        self
    }

    /// An earlier section.
    pub fn section(mut self, id: &str, text: &str) -> Self {
        self.given.sections.insert(id.to_owned(), text.to_owned());
        self
    }

    /// A helper's arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = Json>) -> Self {
        self.given.args = args.into_iter().collect::<Json>().to_string();
        self
    }

    /// Makes the call. What went wrong in it is in [`Called::failure`].
    ///
    /// # Panics
    /// The plugin has no such item.
    #[track_caller]
    pub fn call(mut self) -> Called {
        let table = self.plugin.table();
        let Some(item) = table.of_kind(self.kind).find(|item| item.id == self.id) else {
            let ids: Vec<&str> = table.of_kind(self.kind).map(|item| &*item.id).collect();
            panic!("the plugin has no {} `{}`; it has {ids:?}", self.kind, self.id)
        };
        if self.kind == ItemKind::Helper && self.given.args.is_empty() {
            self.given.args = "[]".into();
        }
        harness::call(self.plugin, item, &self.given).unwrap_or_else(Called::failed)
    }
}
