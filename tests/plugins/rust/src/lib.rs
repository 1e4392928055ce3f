//! An item of every kind, as a Rust author writes it.
#![forbid(unsafe_code)]

use promptweave_plugin::{
    Cache, Component, Cx, Data, Error, Helper, Level, Matcher, Probe, Report, Section,
    export_plugin,
};

/// The configuration as it came.
struct State(String);

fn configured(config: &str) -> Result<State, Error> {
    Ok(State(config.to_owned()))
}

/// Fixed for a variant.
struct Fixed;

impl Component<State> for Fixed {
    const ID: &'static str = "fixed";
    const DESCRIPTION: &'static str = "Prints the configuration and the variant";
    const CACHE: Cache = Cache::Static;

    fn render(state: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        let (config, variant) = (&state.0, cx.variant_id());
        write!(cx, "{config} for {variant}, tags {:?}", cx.variant("tags")?)?;
        Ok(Section::Written)
    }
}

/// As stable as what it reads.
struct Values;

impl Component<State> for Values {
    const ID: &'static str = "values";
    const DESCRIPTION: &'static str = "Prints what it declared";
    const DEPS: &'static [&'static str] = &["cwd", "tools", "kinds"];
    const CACHE: Cache = Cache::Session;

    fn render(_: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        for key in ["cwd", "tools[0].name", "/tools/1", "kinds.float", "kinds.null", "kinds.absent"]
        {
            let (value, json) = (cx.get(key)?, cx.get_json(key)?);
            writeln!(cx, "{key} {value:?} {json:?}")?;
        }
        writeln!(cx, "{:?} {:?}", cx.get_bool("kinds.bool")?, cx.get_i64("kinds.int")?)?;
        cx.write_from("a rule", "rules/a.md", 4)?;
        Ok(Section::Written)
    }
}

/// Reads a section, reports, and turns out to be volatile.
struct Reading;

impl Component<State> for Reading {
    const ID: &'static str = "reading";
    const DESCRIPTION: &'static str = "Prints an earlier section";
    const SECTIONS: &'static [&'static str] = &["fixed"];
    const CACHE: Cache = Cache::Session;

    fn render(_: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        let section = cx.section("fixed")?.unwrap_or_default();
        cx.write(section)?;
        cx.report(Report {
            level: Level::WARN,
            code: "old-section",
            message: "the section `fixed` is old",
            help: Some("write it anew"),
        })?;
        cx.meta("cache", r#"{"class": "volatile", "reason": "it saw the moon"}"#)?;
        Ok(Section::Written)
    }
}

/// Fails, in two ways.
struct Failing;

impl Component<State> for Failing {
    const ID: &'static str = "failing";
    const DESCRIPTION: &'static str = "Reads a number as a text";
    const DEPS: &'static [&'static str] = &["kinds.int"];
    const CACHE: Cache = Cache::Volatile("a test");

    fn render(_: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        cx.get_str("kinds.int")?;
        Ok(Section::Nothing)
    }
}

/// Reads what it has not declared.
struct Nosy;

impl Component<State> for Nosy {
    const ID: &'static str = "nosy";
    const DESCRIPTION: &'static str = "Reads the user's name";
    const CACHE: Cache = Cache::Session;

    fn render(_: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        cx.get("user.name")?;
        Ok(Section::Written)
    }
}

struct Shout;

impl Helper<State> for Shout {
    const ID: &'static str = "shout_out";
    const DESCRIPTION: &'static str = "Prints its arguments loudly";
    const CACHE: Cache = Cache::Static;

    fn help(_: &State, cx: &mut Cx<'_>) -> Result<(), Error> {
        let loud = cx.args().to_uppercase();
        cx.write(&loud)
    }
}

struct Chosen;

impl Matcher<State> for Chosen {
    const ID: &'static str = "chosen";
    const DESCRIPTION: &'static str = "Asks for a model of acme";
    const DEPS: &'static [&'static str] = &["model.id"];

    fn matches(_: &State, cx: &mut Cx<'_>) -> Result<bool, Error> {
        Ok(cx.get_str("model.id")?.is_some_and(|id| id.starts_with("acme-")))
    }
}

struct Branch;

impl Probe<State> for Branch {
    const ID: &'static str = "branch";
    const DESCRIPTION: &'static str = "Finds a branch";
    const KEY: &'static str = "git.branch";

    fn probe(_: &State, cx: &mut Cx<'_>) -> Result<(), Error> {
        cx.write("\"wheel\"")
    }
}

export_plugin! {
    name: "rust", version: "1.0.0", state: State, init: configured,
    components: [Fixed, Values, Reading, Failing, Nosy],
    matchers: [Chosen], helpers: [Shout], probes: [Branch],
    variants: [Data::new(
        "acme", "For models of acme",
        r#"{"extends": "generic", "match": {"matchers": ["rust/chosen"]}, "tags": ["large"]}"#
    )],
    tools: [Data::new("ring", "Rings", r#"{"description": "Rings twice."}"#)],
}
