//! A plugin with an item for each thing that can happen. It exports its symbols, as a library does.

use std::sync::atomic::{AtomicUsize, Ordering};

use promptweave_plugin::{
    Cache, Component, Cx, Data, Error, Helper, Level, Matcher, Probe, Report, Section, Status,
    export_plugin,
};

pub(crate) static ENDED: AtomicUsize = AtomicUsize::new(0);

pub(crate) struct State {
    greeting: String,
    calls: AtomicUsize,
}

impl State {
    fn from_config(config: &str) -> Result<Self, Error> {
        match config {
            "panic" => panic!("no such luck"),
            "fail" => Err(Error::context("`greeting` is missing")),
            "end badly" => Ok(Self { greeting: config.to_owned(), calls: AtomicUsize::new(0) }),
            _ => {
                let config: serde_json::Value = serde_json::from_str(config)?;
                let greeting = config["greeting"].as_str().ok_or("`greeting` is no string")?;
                Ok(Self { greeting: greeting.to_owned(), calls: AtomicUsize::new(0) })
            }
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        ENDED.fetch_add(1, Ordering::SeqCst);
        assert_ne!(self.greeting, "end badly", "it ended badly");
    }
}

/// A component without facts of interest.
macro_rules! component {
    ($name:ident, $id:literal, [$($dep:literal),*], |$state:pat_param, $cx:pat_param| $body:expr) => {
        struct $name;

        impl Component<State> for $name {
            const ID: &'static str = $id;
            const DESCRIPTION: &'static str = "For a test";
            const DEPS: &'static [&'static str] = &[$($dep),*];
            const CACHE: Cache = Cache::Session;

            fn render($state: &State, $cx: &mut Cx<'_>) -> Result<Section, Error> {
                $body
            }
        }
    };
}

struct Workspace;

impl Component<State> for Workspace {
    const ID: &'static str = "workspace";
    const DESCRIPTION: &'static str = "Names the \"working\" directory";
    const DEPS: &'static [&'static str] = &["workspace.dir", "workspace.git"];
    const SECTIONS: &'static [&'static str] = &["role"];
    const CACHE: Cache = Cache::Volatile("folders\tmove");

    fn render(state: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        state.calls.fetch_add(1, Ordering::SeqCst);
        let Some(dir) = cx.get_str("workspace.dir")? else { return Ok(Section::Nothing) };
        write!(cx, "{} {dir}", state.greeting)?;
        if cx.get_bool("workspace.git")? == Some(true) {
            cx.write(", a git repository")?;
        }
        Ok(Section::Written)
    }
}

component!(Reads, "reads", ["text", "flag", "count", "list", "none", "newer"], |_, cx| {
    let key = cx.args();
    let show = match key {
        "text" => format!("{:?} {:?}", cx.get_str(key)?, cx.get_json(key)?),
        "flag" => format!("{:?} {:?}", cx.get_bool(key)?, cx.get_json(key)?),
        "count" => format!("{:?} {:?}", cx.get_i64(key)?, cx.get(key)?),
        "list" => format!("{:?}", cx.get(key)?),
        "none" => format!("{:?} {:?} {:?}", cx.get(key)?, cx.get_str(key)?, cx.get_json(key)?),
        "wrong" => format!("{:?}", cx.get_bool("text")?),
        "newer" => format!("{:?}", cx.get(key)?),
        _ => format!("{:?}", cx.get("elsewhere")?),
    };
    cx.write(&show)?;
    Ok(Section::Written)
});

component!(Tells, "tells", [], |_, cx| {
    cx.log(Level::INFO, "seen");
    let (code, message) = ("acme-slow", "the index is old");
    cx.report(Report { level: Level::WARN, code, message, help: Some("run `acme index`") })?;
    cx.report(Report { level: Level::WARN, code, message, help: None })?;
    cx.meta("title", "\"Workspace\"")?;
    let refused = cx.meta("colour", "1").map_err(|error| error.message().to_owned());
    write!(cx, "{} {} {:?} ", cx.item_id(), cx.variant_id(), cx.budget())?;
    write!(cx, "{:?} {:?} ", cx.variant("id")?, cx.variant("version")?)?;
    write!(cx, "{:?} {:?} ", cx.section("role")?, cx.section("silent")?)?;
    write!(cx, "{} {refused:?}", cx.cancelled())?;
    Ok(Section::Written)
});

component!(Merges, "merges", [], |_, cx| {
    cx.write("Rules:\n")?;
    cx.write_from("Be brief.\n", "rules/brief.md", 1)?;
    cx.write_from("Be kind.\n", "rules/kind.md", 7)?;
    Ok(Section::Written)
});

component!(Fails, "fails", [], |_, cx| {
    cx.write("half a section")?;
    let number: i32 = "seven".parse()?;
    write!(cx, "{number}")?;
    Ok(Section::Written)
});

component!(ClaimsSuccess, "claims_success", [], |_, _| {
    Err(Error::new(Status::OK, "it says `Ok`, and is an error"))
});

component!(PanicsWithText, "panics_with_text", [], |_, cx| panic!("{} went wrong", cx.item_id()));

/// A payload that panics when it is dropped.
struct Spiteful;

impl Drop for Spiteful {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

component!(PanicsTwice, "panics_twice", [], |_, _| std::panic::panic_any(Spiteful));

struct Yes;
struct OnPanic;

impl Matcher<State> for Yes {
    const ID: &'static str = "is-git";
    const DESCRIPTION: &'static str = "Within a git repository";
    const DEPS: &'static [&'static str] = &["workspace.git"];

    fn matches(_: &State, cx: &mut Cx<'_>) -> Result<bool, Error> {
        Ok(cx.get_bool("workspace.git")?.unwrap_or(false))
    }
}

impl Matcher<State> for OnPanic {
    const ID: &'static str = "panics";
    const DESCRIPTION: &'static str = "Panics";

    fn matches(_: &State, _: &mut Cx<'_>) -> Result<bool, Error> {
        panic!("static text")
    }
}

struct Shout;

impl Helper<State> for Shout {
    const ID: &'static str = "shout";
    const DESCRIPTION: &'static str = "Prints in capitals";
    const CACHE: Cache = Cache::Static;

    fn help(_: &State, cx: &mut Cx<'_>) -> Result<(), Error> {
        let (text,): (String,) = serde_json::from_str(cx.args())?;
        assert!(!text.is_empty(), "nothing to shout");
        cx.write(&text.to_uppercase())
    }
}

struct Count;

impl Probe<State> for Count {
    const ID: &'static str = "count";
    const DESCRIPTION: &'static str = "Counts calls";
    const KEY: &'static str = "acme.calls";

    fn probe(state: &State, cx: &mut Cx<'_>) -> Result<(), Error> {
        let calls = state.calls.load(Ordering::SeqCst);
        assert!(calls < 1000, "too many");
        write!(cx, "{calls}")
    }
}

export_plugin! {
    name: "acme-drive", version: "1.2.0", description: "For \\tests", license: "MIT",
    homepage: "https://acme.invalid",
    state: State, init: State::from_config,
    components: [
        Workspace, Reads, Tells, Merges, Fails, ClaimsSuccess, PanicsWithText, PanicsTwice,
    ],
    matchers: [Yes, OnPanic],
    helpers: [Shout],
    probes: [Count],
    variants: [Data::new("acme-small", "For small windows", r#"{"order":["workspace"]}"#)],
    tools: [Data::new("open_ticket", "Opens a ticket", r#"{"description":"Opens"}"#)],
}

/// A second plugin in the same program: it must not export, and needs no state.
pub(crate) mod linked {
    use promptweave_plugin::{Cache, Component, Cx, Error, Section, export_plugin};

    struct Line;

    impl Component<()> for Line {
        const ID: &'static str = "line";
        const DESCRIPTION: &'static str = "One line";
        const CACHE: Cache = Cache::Static;

        fn render((): &(), cx: &mut Cx<'_>) -> Result<Section, Error> {
            cx.write("One line.")?;
            Ok(Section::Written)
        }
    }

    export_plugin! { name: "linked", version: "0.1.0", components: [Line], symbol: cfg(false) }
}
