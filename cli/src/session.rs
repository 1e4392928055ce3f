//! Goes on with a session that is kept in a file.
//!
//! In: `--session`. Out: the prompt of that session, and the file as it is behind it. Never: keeps what a file of the
//! context does not say.

use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Ask, Clock, Context, Diagnostic, Engine, Error, Prompt, Ttl};

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

/// The context, what probes met, the prompt.
type Built = (Context, Vec<Diagnostic>, Result<Prompt, Error>);

/// Builds a prompt of the session in a file. The machine's date counts when the session begins.
pub(crate) fn prompt(
    engine: &Engine,
    file: &Path,
    flags: &ContextFlags,
    ask: &Ask,
) -> Result<Built, Failure> {
    let (context, date) = flags.dateless()?;
    let session = if file.exists() {
        engine.restore(&files::read_regular(file)?)?
    } else {
        engine.session(date.map(Clock::new).unwrap_or_default())
    };
    let session = if flags.context.is_some() { session.without_probes() } else { session };
    let built = session.prompt_for(&context, ask);
    if built.is_ok() {
        files::replace(file, &session.save())?;
    }
    Ok((context, Vec::new(), built))
}

/// How long entries of a query source may live: what the session in a file granted it, or grants it now.
pub(crate) fn ttl(
    engine: &Engine,
    file: &Path,
    source: &str,
    allowed: &[String],
) -> Result<Ttl, Failure> {
    let session = engine.restore(&files::read_regular(file)?)?;
    let ttl = session.ttl(source, allowed);
    files::replace(file, &session.save())?;
    Ok(ttl)
}
