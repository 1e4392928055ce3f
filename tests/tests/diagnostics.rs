//! Every code that needs more than loading has a folder: a pack, a context, what is asked for.
//!
//! The folders without a `case.toml` are those of the loader, which runs them itself; here only their words are judged.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use promptweave::{
    Ask, Clock, CodeComponent, CodeHelper, CodeMatcher, Context, Declared, Diagnostic, Dialect,
    Engine, Error, Extension, Inputs, Items, Origin, Output, Probe, Prompt, Target, TtlLatch,
};
use promptweave_tests::words::{judge, once};
use promptweave_tests::{conformance::read, pack, shown};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

/// The file `case.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What is wrong, as a sentence.
    about: String,
    label: Option<String>,
    /// The API that the tools are declared to, when they are.
    dialect: Option<String>,
    /// The API that the prompt is delivered to, when it is.
    target: Option<String>,
    /// The query sources whose entries may live for an hour.
    #[serde(default)]
    one_hour: Vec<String>,
    /// The skills that there are; nobody knows when absent.
    skills: Option<BTreeSet<String>>,
}

#[test]
fn diagnostics() {
    insta::glob!("../fixtures/diagnostics", "*/case.toml", |path| {
        let folder = path.parent().unwrap();
        let case: Case = toml::from_str(&read(path)).unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.remove_snapshot_suffix();
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("expected", case.run(folder)));
    });
}

impl Case {
    /// What every floor tells, headed by its verb.
    fn run(&self, folder: &Path) -> String {
        let code = folder.file_name().and_then(|name| name.to_str()).expect("a folder's name");
        let engine = engine(code, &folder.join("pack"));
        let mut out = format!("{}\n", self.about);
        let mut codes = BTreeSet::new();
        let mut part = |verb: &str, told: &[Diagnostic]| {
            told.iter().for_each(judge);
            codes.extend(told.iter().map(|one| one.code.as_str()));
            if !told.is_empty() {
                let _ = write!(out, "\n--- {verb}\n{}\n", shown::diagnostics(told));
            }
        };
        part("load", engine.diagnostics());
        let checked = match &self.skills {
            Some(skills) => engine.check_with_skills(skills),
            None => engine.check(),
        };
        part("check", &checked);
        once(engine.diagnostics().iter().chain(&checked));
        match self.built(&engine, folder) {
            Ok(Built { probed, prompt, next, declared, delivered }) => {
                part("probe", &probed);
                part("build", &prompt);
                next.iter().for_each(|prompt| part("next", prompt));
                part("declare", &declared.diagnostics);
                part("deliver", &delivered);
            }
            Err(error) => {
                assert_eq!(error.code(), code);
                codes.insert(error.code());
                let _ = write!(out, "\n--- error\n{}", shown::error(&error));
            }
        }
        assert!(codes.contains(code), "no `{code}` in {out}");
        let out = out.replace(&watched().display().to_string(), "rules.md");
        out.replace(&format!("{}/", folder.display()), "")
    }

    fn built(&self, engine: &Engine, folder: &Path) -> Result<Built, Error> {
        let text = std::fs::read_to_string(folder.join("context.json"));
        let given = Context::from_json(text.as_deref().unwrap_or("{}"))?;
        let (context, probed) = engine.probe(&given);
        let ask = Ask { label: self.label.clone(), ..Ask::default() };
        let prompt = engine.prompt_for(&context, &ask)?;
        let declared = match self.dialect.as_deref().map(dialect) {
            Some(dialect) => engine.declare_tools(&context, &ask, dialect)?,
            None => Declared::default(),
        };
        let next = next(engine, &given, folder)?;
        let delivered = self.delivered(engine, &prompt, &context);
        let prompt = prompt.diagnostics().to_vec();
        Ok(Built { probed, prompt, next, declared, delivered })
    }

    fn delivered(&self, engine: &Engine, prompt: &Prompt, context: &Context) -> Vec<Diagnostic> {
        let Some(target) = self.target.as_deref().map(|name| Target::from_name(name).unwrap())
        else {
            return Vec::new();
        };
        let mut delivery = engine.delivery(target, context.text("model.id").unwrap_or_default());
        if !self.one_hour.is_empty() {
            let source = prompt.query_source().unwrap_or_default();
            delivery.ttl = TtlLatch::default().ttl(source, &self.one_hour);
        }
        promptweave::deliver(prompt, Vec::new(), &delivery).1
    }
}

/// What was told after loading.
struct Built {
    probed: Vec<Diagnostic>,
    prompt: Vec<Diagnostic>,
    /// Of the prompts that the same session builds then.
    next: Vec<Vec<Diagnostic>>,
    declared: Declared,
    delivered: Vec<Diagnostic>,
}

/// The contexts of `next.jsonl` in one session. Where there is a folder `old`, the session begins with its pack, and goes on with
/// the other one.
fn next(engine: &Engine, first: &Context, folder: &Path) -> Result<Vec<Vec<Diagnostic>>, Error> {
    let old = folder.join("old");
    let begun = Engine::builder().pack_dir(&old).build()?;
    let begun = if old.is_dir() { &begun } else { engine };
    let session = begun.session(Clock::default());
    session.prompt(first)?;
    let session = engine.restore(&session.save())?;
    let lines = std::fs::read_to_string(folder.join("next.jsonl")).unwrap_or_default();
    let contexts = lines.lines().map(|line| Ok(Context::from_json(line)?));
    let same = old.is_dir().then(|| Ok(first.clone()));
    let contexts: Result<Vec<Context>, Error> = same.into_iter().chain(contexts).collect();
    let prompts =
        contexts?.into_iter().map(|next| Ok(session.prompt(&next)?.diagnostics().to_vec()));
    let told: Result<Vec<_>, Error> = prompts.collect();
    Ok(told?.into_iter().chain([session.drift(first)]).collect())
}

fn dialect(name: &str) -> Dialect {
    match name {
        "openai-chat" => Dialect::OpenAiChat,
        "anthropic" => Dialect::Anthropic,
        "gemini" => Dialect::Gemini,
        other => panic!("no dialect `{other}`"),
    }
}

fn engine(code: &str, folder: &Path) -> Engine {
    let builder = Engine::builder().pack_dir(folder);
    let builder = extensions(code).into_iter().fold(builder, |builder, one| builder.extension(one));
    builder.build().expect("an engine that is not strict")
}

/// The code that a case needs, by its folder's name.
fn extensions(code: &str) -> Vec<Supplied> {
    let items = match code {
        "extension-conflict" => conflicting(),
        "extension-failed" => {
            return odd().into_iter().map(Supplied::Items).chain([Supplied::Panics]).collect();
        }
        "session-stale" => {
            let files = AtomicUsize::new(0);
            let edited = move || files.fetch_add(1, Ordering::Relaxed);
            vec![
                Items::new("demo")
                    .probe(Probe::new("rules.files", move |_| Ok(json!([{ "text": edited() }]))))
                    .probe(Probe::new("os", |_| Ok(json!("linux")))),
            ]
        }
        "probe-failed" => vec![
            Items::new("demo")
                .probe(Probe::new("git.branch", |_| Err("there is no repository".into())))
                .probe(Probe::new("os", |_| panic!("no system"))),
        ],
        "matcher-failed" => vec![
            Items::new("demo")
                .matcher(CodeMatcher::new("gateway", |_| Err("no network".into())))
                .matcher(CodeMatcher::new("vault", |_| panic!("no key"))),
        ],
        "component-failed" => vec![
            Items::new("demo")
                .component(CodeComponent::new("fails", |_: &Inputs<'_>| {
                    Err::<String, _>("the disk is full")
                }))
                .component(CodeComponent::new("panics", |_: &Inputs<'_>| -> String {
                    panic!("out of ideas")
                })),
        ],
        "session-file-changed" => vec![writing()],
        "helper-failed" => vec![Items::new("demo").helper(CodeHelper::new("shout", shout))],
        "input-undeclared" => vec![
            Items::new("demo").component(
                CodeComponent::new("nosy", |inputs: &Inputs<'_>| {
                    inputs.text("user.language").unwrap_or("any language").to_owned()
                })
                .reads(&["user.name"]),
            ),
        ],
        _ => Vec::new(),
    };
    items.into_iter().map(Supplied::Items).collect()
}

/// The file of [`writing`].
fn watched() -> PathBuf {
    std::env::temp_dir().join(format!("promptweave-rules-{}.md", std::process::id()))
}

/// A section that is made of a file, and one that makes the file longer in each build.
fn writing() -> Items {
    let rules = CodeComponent::new("rules", |_: &Inputs<'_>| {
        let mut output = Output::default();
        let file = watched().to_string_lossy().into();
        output.push("Be brief.", Origin::Line { file, line: 1 });
        output
    });
    let lines = AtomicUsize::new(0);
    let writer = CodeComponent::volatile("writer", "it writes", move |_: &Inputs<'_>| {
        let text = "line\n".repeat(1 + lines.fetch_add(1, Ordering::Relaxed));
        std::fs::write(watched(), text).map(|()| "written")
    });
    Items::new("demo").component(rules).component(writer)
}

/// Items of one name, in one extension and in two; two extensions of one name; helpers named like something else.
fn conflicting() -> Vec<Items> {
    let component = |text: &'static str| CodeComponent::new("house", move |_: &Inputs<'_>| text);
    let matcher = || CodeMatcher::new("gateway", |_| Ok(true));
    let probe = || Probe::new("git.branch", |_| Ok(json!("main")));
    let helper = || CodeHelper::new("shout", shout);
    vec![
        Items::new("first").component(component("1")).matcher(matcher()).probe(probe()),
        Items::new("twin").component(component("2")),
        Items::new("second").component(component("3")).helper(helper()).helper(helper()),
        Items::new("twin").component(component("4")).matcher(matcher()).probe(probe()),
        ["len", "cwd", "OS", "role"]
            .map(|taken| CodeHelper::new(taken, shout))
            .into_iter()
            .fold(Items::new("third"), Items::helper),
    ]
}

/// Names that nothing can name.
fn odd() -> Vec<Items> {
    let component = |id: &str| CodeComponent::new(id, |_: &Inputs<'_>| "text");
    vec![
        Items::new("Bad Name").component(component("lost")),
        Items::new("demo")
            .component(component("fine"))
            .component(component("two words"))
            .component(component("each"))
            .helper(CodeHelper::new("", shout))
            .matcher(CodeMatcher::new("demo/gateway", |_| Ok(true)))
            .probe(Probe::new("git..branch", |_| Ok(json!("main")))),
    ]
}

fn shout(arguments: &[Json], _: &Map<String, Json>) -> Result<Json, String> {
    let text = arguments.first().and_then(Json::as_str).ok_or("it takes one text")?;
    Ok(text.to_uppercase().into())
}

/// An extension of closures, or one whose own code panics.
enum Supplied {
    Items(Items),
    Panics,
}

impl Extension for Supplied {
    fn name(&self) -> &str {
        match self {
            Self::Items(items) => items.name(),
            Self::Panics => "panics",
        }
    }

    fn components(&self) -> Vec<CodeComponent> {
        match self {
            Self::Items(items) => items.components(),
            Self::Panics => panic!("no list today"),
        }
    }

    fn matchers(&self) -> Vec<CodeMatcher> {
        match self {
            Self::Items(items) => items.matchers(),
            Self::Panics => Vec::new(),
        }
    }

    fn helpers(&self) -> Vec<CodeHelper> {
        match self {
            Self::Items(items) => items.helpers(),
            Self::Panics => Vec::new(),
        }
    }

    fn probes(&self) -> Vec<Probe> {
        match self {
            Self::Items(items) => items.probes(),
            Self::Panics => Vec::new(),
        }
    }
}

/// The folders of the loader's codes: each of their folders is a pack.
#[test]
fn words_of_the_loader() {
    for entry in std::fs::read_dir(pack::fixture("diagnostics")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("case.toml").exists() {
            continue;
        }
        let mut packs: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        packs.retain(|path| path.is_dir() && !path.ends_with("project"));
        packs.sort();
        let builder = packs.iter().fold(Engine::builder(), |builder, one| builder.pack_dir(one));
        let engine = builder.build().unwrap();
        let checked = engine.check();
        engine.diagnostics().iter().chain(&checked).for_each(judge);
        once(engine.diagnostics().iter().chain(&checked));
    }
}

/// What a code means is a sentence; its name is in kebab case.
#[test]
fn meanings() {
    for code in promptweave::Code::ALL {
        let (name, meaning) = (code.as_str(), code.meaning());
        assert!(meaning.starts_with(char::is_uppercase) && meaning.ends_with('.'), "{name}");
        assert!(
            name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')),
            "{name}"
        );
    }
}
