//! Starts the child program.
//!
//! In: a program. Out: its process and our end of its socket. Never: passes on the host's environment, but for
//! the names in [`KEPT`].

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::{env, io, process, thread};

/// The program that runs a plugin in a process of its own: it calls [`serve`](crate::serve).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProgram {
    /// Its file.
    pub path: PathBuf,
    /// What it is called with.
    pub args: Vec<String>,
}

/// The name of the small program that embedders ship.
const PROGRAM: &str =
    if cfg!(windows) { "promptweave-plugin-host.exe" } else { "promptweave-plugin-host" };

/// What a child keeps of the host's environment: places, never secrets.
const KEPT: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SHELL", "TMPDIR", "TZ", "USER"];

/// The variable by which a process that a plugin left behind is known.
pub(super) const TOKEN: &str = "PROMPTWEAVE_PLUGIN_CHILD";

impl HostProgram {
    /// The program that `PROMPTWEAVE_PLUGIN_HOST` names, else the one beside this executable.
    pub fn find() -> Option<Self> {
        let named = env::var_os("PROMPTWEAVE_PLUGIN_HOST").map(PathBuf::from);
        let beside = || Some(env::current_exe().ok()?.with_file_name(PROGRAM));
        let path = named.filter(|path| path.is_absolute()).or_else(beside)?;
        path.is_file().then(|| Self { path, args: Vec::new() })
    }
}

/// A process that was started, our end of its socket, its standard error, its token.
pub(super) struct Spawned {
    pub(super) process: Child,
    pub(super) socket: UnixStream,
    pub(super) errors: Option<OwnedFd>,
    pub(super) token: String,
}

/// Starts the program, with one end of a socket as its standard input.
pub(super) fn spawn(program: &HostProgram) -> io::Result<Spawned> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_read_timeout(Some(super::link::SOON))?;
    let token = token();
    let mut command = Command::new(&program.path);
    command.args(&program.args).env_clear();
    command.envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
    command.env(TOKEN, &token);
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::piped());
    command.current_dir("/").process_group(0);
    let mut process = on_lasting_thread(command)?;
    let errors = process.stderr.take().map(OwnedFd::from);
    if let Some(errors) = &errors {
        rustix::io::ioctl_fionbio(errors, true)?;
    }
    Ok(Spawned { process, socket: ours, errors, token })
}

/// A text that no other process has in its environment.
fn token() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut random = [0; 8];
    // Without it the token is still unique among the children of this process.
    let _ = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random));
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{next}-{:016x}", process::id(), u64::from_le_bytes(random))
}

type Job = (Command, mpsc::Sender<io::Result<Child>>);

/// Starts a command on a thread that ends with this process only.
///
/// A child asks to be killed when its parent dies; to the system the parent is the thread that started it, and a host's
/// threads come and go.
fn on_lasting_thread(command: Command) -> io::Result<Child> {
    let (reply, answer) = mpsc::channel();
    let gone = || io::Error::other("the thread that starts processes has gone");
    starter()?.send((command, reply)).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn starter() -> io::Result<mpsc::Sender<Job>> {
    // With the process id, for after a fork the thread is not there any more.
    static STARTER: Mutex<Option<(u32, mpsc::Sender<Job>)>> = Mutex::new(None);
    let mut starter = STARTER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, sender)) = starter.as_ref().filter(|(pid, _)| *pid == process::id()) {
        return Ok(sender.clone());
    }
    let (sender, jobs) = mpsc::channel::<Job>();
    thread::Builder::new().name("plugin-starter".into()).spawn(move || {
        for (mut command, reply) in jobs {
            let _ = reply.send(command.spawn());
        }
    })?;
    *starter = Some((process::id(), sender.clone()));
    Ok(sender)
}
