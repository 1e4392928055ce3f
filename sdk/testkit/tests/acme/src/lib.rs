//! A plugin with one item of each kind.
//!
//! In: a greeting as configuration, the folder and the branch. Out: a section, a yes, a text, a value, a variant, a
//! tool. Never: breaks a promise; the checks are tried on it.
#![forbid(unsafe_code)]

use promptweave_plugin::{
    Cache, Component, Cx, Data, Error, Helper, Matcher, Probe, Section, export_plugin,
};

/// What the configuration says.
pub struct State {
    greeting: String,
}

impl State {
    fn from_config(config: &str) -> Result<Self, Error> {
        let config: serde_json::Value = serde_json::from_str(config)?;
        let greeting = match config.get("greeting") {
            None => "You work in",
            Some(greeting) => greeting.as_str().ok_or("`greeting` is no string")?,
        };
        Ok(Self { greeting: greeting.to_owned() })
    }
}

struct Workspace;

impl Component<State> for Workspace {
    const ID: &'static str = "workspace";
    const DESCRIPTION: &'static str = "Names the working folder and the branch";
    const DEPS: &'static [&'static str] = &["cwd", "git.branch"];
    const SECTIONS: &'static [&'static str] = &["role"];
    const CACHE: Cache = Cache::Session;

    fn render(state: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        let Some(cwd) = cx.get_str("cwd")? else { return Ok(Section::Nothing) };
        if cx.section("role")?.is_some() {
            cx.write("As said, you have a role. ")?;
        }
        write!(cx, "{} {cwd}", state.greeting)?;
        if let Some(branch) = cx.get_str("git.branch")? {
            write!(cx, " ({branch})")?;
        }
        cx.write(".\n")?;
        Ok(Section::Written)
    }
}

struct Manners;

impl Component<State> for Manners {
    const ID: &'static str = "manners";
    const DESCRIPTION: &'static str = "Says how to speak";
    const CACHE: Cache = Cache::Static;

    fn render(_: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        cx.write("Be brief.\n")?;
        Ok(Section::Written)
    }
}

struct OnMain;

impl Matcher<State> for OnMain {
    const ID: &'static str = "on-main";
    const DESCRIPTION: &'static str = "On the branch `main`";
    const DEPS: &'static [&'static str] = &["git.branch"];

    fn matches(_: &State, cx: &mut Cx<'_>) -> Result<bool, Error> {
        Ok(cx.get_str("git.branch")? == Some("main"))
    }
}

struct Shout;

impl Helper<State> for Shout {
    const ID: &'static str = "shout";
    const DESCRIPTION: &'static str = "Prints in capitals";
    const CACHE: Cache = Cache::Static;

    fn help(_: &State, cx: &mut Cx<'_>) -> Result<(), Error> {
        let args: Vec<serde_json::Value> = serde_json::from_str(cx.args())?;
        let text = args.first().and_then(serde_json::Value::as_str);
        cx.write(&text.ok_or("`shout` wants a text")?.to_uppercase())
    }
}

struct Answer;

impl Probe<State> for Answer {
    const ID: &'static str = "answer";
    const DESCRIPTION: &'static str = "Finds the answer";
    const KEY: &'static str = "acme.answer";

    fn probe(_: &State, cx: &mut Cx<'_>) -> Result<(), Error> {
        cx.write("{\"answer\":42}")
    }
}

export_plugin! {
    name: "acme-all", version: env!("CARGO_PKG_VERSION"),
    state: State, init: State::from_config,
    components: [Workspace, Manners],
    matchers: [OnMain],
    helpers: [Shout],
    probes: [Answer],
    variants: [Data::new("acme-small", "For small windows", r#"{"order":["workspace"]}"#)],
    tools: [Data::new("open_ticket", "Opens a ticket", r#"{"description":"Opens a ticket"}"#)],
    symbol: cfg(feature = "export"),
}
