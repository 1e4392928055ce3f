//! Assembles the context: a file taken as it is, or what the machine knows, then the flags on top.
//!
//! In: `-c`, `--set` and its shorthands. Out: a [`Context`]. Never: fills anything into a file's context.

mod reading;

use std::env;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use promptweave::{Ask, Code, Context, Diagnostic, Engine, Origin, Session, Severity};
use promptweave_guard::{Action, Finding, Guard, Kind, Told};
use promptweave_inspect::{self as inspect, Misplaced};
use serde_json::{Value as Json, json};

use crate::failure::Failure;
pub(crate) use reading::{json_of, located, of_line, read, read_all, read_regular};

/// So many findings of the guard in one text are told one by one.
pub(crate) const MAX_TOLD: usize = 100;

/// Values that are put on top of the context.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Context")]
pub(crate) struct Overlay {
    /// Override one value of the context; JSON if it parses, else a string
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<Assignment>,
    /// The model's id: `--set model.id=ID`
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<String>,
    /// Who serves the model: `--set provider.id=ID`
    #[arg(long, value_name = "ID")]
    pub(crate) provider: Option<String>,
    /// What the agent may do now: `--set mode=MODE`
    #[arg(long, value_parser = ["plan", "act"])]
    pub(crate) mode: Option<String>,
    /// The tools, by name with commas between; empty for none
    #[arg(long, value_name = "A,B,C")]
    pub(crate) tools: Option<String>,
}

/// A context and what is put on top of it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Context")]
pub(crate) struct ContextFlags {
    /// JSON (or TOML by its ending) taken as it is; without it the machine fills in cwd, os, shell,
    /// home and date
    #[arg(short, long, value_name = "FILE|-")]
    pub(crate) context: Option<PathBuf>,
    /// Look for hidden characters, forged markup and overriding phrases in texts from outside (rules, skills, memory, MCP)
    /// before they enter the prompt
    #[arg(long)]
    pub(crate) guard: bool,
    #[command(flatten)]
    pub(crate) overlay: Overlay,
}

impl ContextFlags {
    /// The context that the flags describe.
    pub(crate) fn assemble(&self) -> Result<Context, Failure> {
        self.overlay.on(self.context.as_deref().map_or_else(|| Ok(machine()), read)?)
    }

    /// The same without the machine's date, and that date: a session keeps the one that it began with.
    pub(crate) fn dateless(&self) -> Result<(Context, Option<String>), Failure> {
        let mut root = match self.context.as_deref() {
            Some(file) => return Ok((self.overlay.on(read(file)?)?, None)),
            None => machine(),
        };
        let date = root.as_object_mut().and_then(|root| root.remove("date"));
        let date = date.and_then(|date| date.as_str().map(str::to_owned));
        Ok((self.overlay.on(root)?, date))
    }

    /// The same with what probes find, unless a file says it all.
    pub(crate) fn probed(&self, engine: &Engine) -> Result<(Context, Vec<Diagnostic>), Failure> {
        let context = self.assemble()?;
        let (context, told) = match self.context {
            Some(_) => (context, Vec::new()),
            None => engine.probe(&context),
        };
        self.guarded(context, told)
    }

    /// The same as the guard lets it, where it is asked for.
    pub(crate) fn guarded(
        &self,
        context: Context,
        mut told: Vec<Diagnostic>,
    ) -> Result<(Context, Vec<Diagnostic>), Failure> {
        if !self.guard {
            return Ok((context, told));
        }
        let mut root = context.as_json().clone();
        told.extend(judged(&mut root));
        Ok((Context::from_value(root).map_err(|error| Failure::Engine(error.into()))?, told))
    }

    /// What probes find for a session as the guard lets it, where it is asked for, and all that there is to tell of it.
    pub(crate) fn screened(
        &self,
        session: &Session,
        context: &Context,
        ask: &Ask,
    ) -> Vec<Diagnostic> {
        if !self.guard {
            return Vec::new();
        }
        let mut suspicious = Vec::new();
        let told = session.screen(context, ask, |found| suspicious = judged(found));
        told.into_iter().chain(suspicious).collect()
    }

    /// What probes find now and the session does not say.
    pub(crate) fn drifted(&self, session: &Session, context: &Context) -> Vec<Diagnostic> {
        if self.guard {
            session.drift_judged(context, |found| drop(judged(found)))
        } else {
            session.drift(context)
        }
    }
}

/// What the guard finds in a context, which becomes what it lets.
fn judged(root: &mut Json) -> Vec<Diagnostic> {
    Guard::standard().context(root).iter().flat_map(of_value).collect()
}

/// The first findings in a value one by one, and how many more there are.
fn of_value(value: &Told) -> Vec<Diagnostic> {
    let (first, more) = value.findings.split_at(value.findings.len().min(MAX_TOLD));
    let mut told: Vec<_> = first.iter().map(|it| suspicious(&value.path, it)).collect();
    if let Some(next) = more.first() {
        let (count, at) = (more.len(), next.range.start);
        let message = format!("text-suspicious: {count} more from byte {at} on; the same is done");
        let mut last = Diagnostic::new(
            Code::PluginReport,
            message,
            Origin::Context(value.path.as_str().into()),
        )
        .help("look at where the text comes from before you rely on it");
        if more.iter().all(|finding| finding.action == Action::Allow) {
            last.severity = Severity::Note;
        }
        told.push(last);
    }
    told
}

/// A finding of the guard as it is told.
fn suspicious(path: &str, finding: &Finding) -> Diagnostic {
    let (kind, rule) = (finding.kind.as_str(), &finding.rule);
    let done = match (finding.kind, finding.action) {
        (Kind::Boundary, _) => "it is escaped",
        (_, Action::Allow | Action::Warn) => "it stays",
        (_, Action::Redact) => "a mark stands in its place",
        (_, Action::Fence) => "the text is fenced as data",
        (_, Action::Block) => "the text is left out",
    };
    let at = finding.range.start;
    let message = format!("text-suspicious: {kind} `{rule}` at byte {at}; {done}");
    let mut told = Diagnostic::new(Code::PluginReport, message, Origin::Context(path.into()))
        .help("look at where the text comes from before you rely on it");
    if finding.action == Action::Allow {
        told.severity = Severity::Note;
    }
    told
}

impl Overlay {
    /// A context with these values on top.
    pub(crate) fn on(&self, root: Json) -> Result<Context, Failure> {
        self.values().on(root).map_err(misplaced)
    }

    fn values(&self) -> inspect::Overlay {
        inspect::Overlay {
            model: self.model.clone(),
            provider: self.provider.clone(),
            mode: self.mode.clone(),
            tools: self.tools.as_deref().map(names),
            set: self.set.iter().map(|Assignment(it)| it.clone()).collect(),
        }
    }
}

/// Why a value has no place in a context.
pub(crate) fn misplaced(error: Misplaced) -> Failure {
    match error {
        Misplaced::Path(why) => Failure::Usage(why),
        Misplaced::Context(error) => Failure::Engine(error.into()),
    }
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// `PATH=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assignment(pub(crate) inspect::Assignment);

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, value) =
            text.split_once('=').ok_or("write PATH=VALUE, e.g. user.language=de")?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        inspect::Assignment::new(path, value).map(Self).map_err(|error| error.to_string())
    }
}

/// What the machine knows.
pub(crate) fn machine() -> Json {
    let shell = env::var("SHELL").or_else(|_| env::var("COMSPEC")).ok();
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    let known = [
        ("cwd", env::current_dir().ok().map(path)),
        ("os", Some(env::consts::OS.to_owned())),
        ("shell", shell),
        ("home", etcetera::home_dir().ok().map(path)),
        ("date", Some(today())),
    ];
    let known = known.into_iter().filter_map(|(key, value)| Some((key.to_owned(), json!(value?))));
    Json::Object(known.collect())
}

/// The local date, YYYY-MM-DD.
pub(crate) fn today() -> String {
    let zone = jiff::tz::TimeZone::system();
    jiff::Timestamp::now().to_zoned_datetime(zone).date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlay(set: &[&str]) -> Overlay {
        let set = set.iter().map(|text| text.parse().unwrap()).collect();
        Overlay { set, ..Overlay::default() }
    }

    #[test]
    fn a_value_is_json_if_it_parses() {
        for (text, value) in [
            ("a=1", json!(1)),
            ("a=true", json!(true)),
            ("a=null", json!(null)),
            ("a=[1,\"b\"]", json!([1, "b"])),
            ("a=\"1\"", json!("1")),
            ("a=plain words", json!("plain words")),
            ("a=007", json!("007")),
            ("a=", json!("")),
            ("a=b=c", json!("b=c")),
        ] {
            assert_eq!(text.parse::<Assignment>().unwrap().0.value, value, "{text}");
        }
        let deep = format!("{}a=1", "a.".repeat(30_000));
        for bad in ["a", "=1", "a..b=1", ".a=1", "a.=1", &deep] {
            assert!(bad.parse::<Assignment>().is_err(), "{bad}");
        }
    }

    #[test]
    fn many_findings_in_one_text() {
        let mut root = json!({ "memory": { "text": "[INST] ".repeat(100_000) } });
        let told = judged(&mut root);
        assert_eq!(told.len(), MAX_TOLD + 1);
        let last = &told[MAX_TOLD];
        assert!(last.message.contains("99900 more from byte 700 on"), "{last}");
        assert_eq!(last.severity, Severity::Warning);
    }

    #[test]
    fn set_wins_over_its_shorthands() {
        let overlay = Overlay {
            model: Some("a".into()),
            mode: Some("plan".into()),
            tools: Some("x, y,".into()),
            ..overlay(&["model.id=b", "flags=[\"compact\"]"])
        };
        let context = overlay.on(json!({"mode": "act"})).unwrap();
        assert_eq!(context.text("model.id"), Some("b"));
        assert_eq!(context.text("mode"), Some("plan"));
        assert_eq!(context.texts("tools"), Some(vec!["x", "y"]));
    }

    #[test]
    fn the_machine_knows_the_date() {
        let machine = machine();
        let date = machine["date"].as_str().unwrap();
        assert_eq!((date.len(), date.matches('-').count()), (10, 2), "{date}");
    }

    #[test]
    fn toml_becomes_json() {
        let table = toml::from_str("day = 2026-01-02\nsize = 1.5\n[a]\nb = [true]\n").unwrap();
        let json = json_of(toml::Value::Table(table));
        assert_eq!(json, Ok(json!({"day": "2026-01-02", "size": 1.5, "a": {"b": [true]}})));
    }

    #[test]
    fn a_number_that_json_does_not_have_is_refused() {
        for text in ["a = nan", "a = [1.5, -inf]", "[a.b]\nc = inf"] {
            let table = toml::from_str(text).unwrap();
            assert!(json_of(toml::Value::Table(table)).is_err(), "{text}");
        }
    }

    #[test]
    fn offsets() {
        for (line, column, at) in [(1, 1, 0), (2, 1, 3), (2, 2, 4), (2, 3, 4), (9, 9, 7), (1, 0, 0)]
        {
            assert_eq!(reading::offset("ab\nxéy", line, column), at, "{line}:{column}");
        }
    }
}
