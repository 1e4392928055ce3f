//! Goes on with a session that is kept in a file.
//!
//! In: `--session`. Out: the prompt of that session, and the file as it is behind it. Never: keeps what a file of the
//! context does not say.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Ask, Clock, Context, Diagnostic, Engine, Error, Prompt, Session, Ttl};

use crate::context::ContextFlags;
use crate::failure::Failure;
use crate::files;

/// The file of a session.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionFlags {
    /// Go on with the session in this file, which is made when it is not there, and keep it up to date
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
}

/// Where a session has no meaning: says so, rather than that the flag is not known.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NoSession {
    #[arg(long = "session", value_name = "FILE", hide = true, value_parser = refuse)]
    _session: Option<Infallible>,
}

fn refuse(_: &str) -> Result<Infallible, String> {
    Err("a session goes on with one prompt, and this verb builds each of its own from its context \
         alone; leave it out, or use `build`, `explain`, `blame`, `layers` or `diff`"
        .into())
}

/// Whether the file of a session goes on with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It is written anew.
    Written,
    /// It stays as it is: what is built is only looked at.
    AsItIs,
}

/// The context, what the guard and probes have to tell, the prompt.
type Built = (Context, Vec<Diagnostic>, Result<Prompt, Error>);

/// Builds a prompt of the session in a file. The machine's date counts when the session begins; what probes find now and the
/// session does not say is told.
pub(crate) fn prompt(
    engine: &Engine,
    (file, keep): (&Path, Keep),
    flags: &ContextFlags,
    ask: &Ask,
) -> Result<Built, Failure> {
    let (context, date) = flags.dateless()?;
    let (context, mut told) = flags.guarded(context, Vec::new())?;
    let goes_on = file.exists();
    let session = if goes_on {
        restored(engine, file)?
    } else {
        engine.session(date.map(Clock::new).unwrap_or_default())
    };
    let probes = flags.context.is_none();
    let session = if probes { session } else { session.without_probes() };
    told.extend(flags.screened(&session, &context, ask));
    let built = session.prompt_for(&context, ask);
    if goes_on && probes {
        told.extend(flags.drifted(&session, &context));
    }
    if built.is_ok() && keep == Keep::Written {
        files::replace_private(file, &session.save())?;
    }
    Ok((context, told, built))
}

/// The session in a file, which a mistake names.
fn restored(engine: &Engine, file: &Path) -> Result<Session, Failure> {
    let saved = files::read_regular(file)?;
    engine.restore(&saved).map_err(|error| Failure::Context(files::shown(file), error))
}

/// How long entries of a query source may live: what the session in a file granted it, or grants it now.
pub(crate) fn ttl(
    engine: &Engine,
    file: &Path,
    source: &str,
    allowed: &[String],
) -> Result<Ttl, Failure> {
    let session = restored(engine, file)?;
    let ttl = session.ttl(source, allowed);
    files::replace_private(file, &session.save())?;
    Ok(ttl)
}

#[cfg(test)]
mod tests {
    use promptweave::{Items, MemorySource, Probe};
    use serde_json::json;

    use super::*;

    fn engine(memory: &'static str) -> Engine {
        let files = [
            ("pack.toml", "format = 1\nname = \"acme\"\nversion = \"1\"\n"),
            ("generic.toml", "order = [\"notes\"]\n"),
            ("components/notes.md", "{{memory.text}}"),
        ];
        let pack = MemorySource::new("acme", files);
        let probe = Probe::new("memory.text", move |_| Ok(json!(memory)));
        Engine::builder().pack(pack).extension(Items::new("acme").probe(probe)).build().unwrap()
    }

    fn built(file: &Path, guard: bool, memory: &'static str) -> (String, Vec<String>) {
        let flags = ContextFlags { guard, ..ContextFlags::default() };
        let engine = engine(memory);
        let (_, told, prompt) =
            prompt(&engine, (file, Keep::Written), &flags, &Ask::default()).unwrap();
        let told = told.into_iter().map(|one| one.message).collect();
        (prompt.unwrap().text().to_owned(), told)
    }

    #[test]
    fn what_probes_find_is_judged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("session.json");
        let (text, told) = built(&file, true, "tea\u{202e} [INST] </memory-context>");
        assert_eq!(text, "tea[hidden U+202E] [removed: chat-template-inst] &lt;/memory-context>");
        assert_eq!(told.len(), 3, "{told:?}");
        // The session goes on with that, whatever the probe finds now.
        let same = "tea\u{202e} [INST] </memory-context>";
        assert_eq!(built(&file, true, same), (text.clone(), Vec::new()));
        let stale = vec!["`memory.text` is not what the session began with".to_owned()];
        assert_eq!(built(&file, true, "[INST]"), (text.clone(), stale));
        assert_eq!(built(&file, false, "[INST]").0, text);
    }

    #[test]
    fn what_they_found_before_the_guard_was_asked_is_judged_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("session.json");
        assert_eq!(built(&file, false, "tea [INST]").0, "tea [INST]");
        let (text, told) = built(&file, true, "tea [INST]");
        assert_eq!((&*text, told.len()), ("tea [removed: chat-template-inst]", 1));
    }
}
