//! The process that runs one plugin.
//!
//! In: a socket as standard input; frames. Out: frames. Never: reads the plugin's word for anything that the host
//! decides, or runs its code before it has confined itself.

mod confine;
mod facts;

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::answer::{Answer, Outcome};
use crate::config::SandboxPolicy;
use crate::frame::{self, Call, Encoder, HEADER_BYTES, Load, Loaded, PROTOCOL, Type};
use crate::guest::{self, Asked, Instance};
use crate::limits::Sandbox;
use facts::Received;

/// The most bytes of one frame from the host; it is our own.
const MAX_FRAME_BYTES: usize = 1 << 30;

/// Runs a plugin for the host at the other end of standard input, until that closes.
///
/// A program calls it as the first thing of its `main`, and does nothing else: it is what
/// [`HostProgram`](crate::HostProgram) names.
#[must_use]
pub fn serve() -> ExitCode {
    crate::log::is_for_a_plugin();
    match wire().and_then(|mut wire| run(&mut wire)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "plugin host: {error}");
            ExitCode::from(2)
        }
    }
}

/// The socket to the host, taken from where the plugin could find it.
fn wire() -> io::Result<Wire> {
    let stdin = io::stdin();
    if rustix::net::sockopt::socket_type(&stdin).is_err() {
        let why = "this program is started by a host of promptweave; it does nothing by itself";
        return Err(io::Error::other(why));
    }
    close_foreign();
    let socket = rustix::io::fcntl_dupfd_cloexec(&stdin, 3)?;
    let nothing = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(OwnedFd::from(nothing))?;
    Ok(Wire(ManuallyDrop::new(UnixStream::from(socket))))
}

/// Closes what a host left open to its children: files that the plugin was not given.
fn close_foreign() {
    const FIRST: i32 = 3;
    let files = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers = files.filter_map(|file| file.file_name().to_str()?.parse::<i32>().ok());
    // All of them at first: one is that of the folder itself, and has gone by the time it is closed.
    for number in numbers.filter(|number| *number >= FIRST).collect::<Vec<_>>() {
        // SAFETY: nothing of this process has been opened yet, so nothing in it owns the number.
        unsafe { libc::close(number) };
    }
}

fn run(wire: &mut Wire) -> io::Result<()> {
    let Some((Type::Load, _, payload)) = wire.receive()? else { return Ok(()) };
    let load: Load = serde_json::from_slice(&payload).map_err(io::Error::other)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get() as u32);
    if parent != Some(load.host) || load.protocol != PROTOCOL {
        return Ok(());
    }
    wire.0.set_read_timeout(Some(Duration::from_millis(load.idle_ms.max(1))))?;
    let (sandbox, loaded) = start(&load);
    let (table, instance) = match loaded {
        Ok(instance) => (Ok(instance.table().clone()), Some(instance)),
        Err(why) => (Err(why), None),
    };
    let said = Loaded { protocol: PROTOCOL, sandbox, table };
    wire.send(Type::Loaded, 0, &serde_json::to_vec(&said).map_err(io::Error::other)?)?;
    instance.map_or(Ok(()), |instance| answer_all(wire, &instance, load.output))
}

/// Confines this process, then loads the library.
fn start(load: &Load) -> (Sandbox, Result<Instance, String>) {
    let sandbox = match confine::confine(&load.confine, &load.library) {
        Ok(sandbox) => sandbox,
        Err(error) => {
            return (Sandbox::None, Err(format!("its process cannot be limited: {error}")));
        }
    };
    if load.confine.mode == SandboxPolicy::Require && sandbox != Sandbox::Full {
        let why =
            format!("a full sandbox is required, and this system offers `{}`", sandbox.as_str());
        return (sandbox, Err(why));
    }
    // SAFETY: the host decided that this plugin runs in this process, which exists for that alone; the
    // path is that of the host's private copy.
    let instance =
        unsafe { guest::open(&load.library).and_then(|entry| Instance::new(entry, &load.config)) };
    let ready = instance.map_err(|refusal| refusal.0).and_then(|instance| {
        instance.ready()?;
        Ok(instance)
    });
    (sandbox, ready)
}

fn answer_all(wire: &mut Wire, instance: &Instance, limit: usize) -> io::Result<()> {
    while let Some((Type::Call, number, payload)) = wire.receive()? {
        let call = Call::read(&payload).map_err(|why| io::Error::other(why.0))?;
        let received = Received::new(&call);
        for item in &call.items {
            let answer = answer(instance, &received, (item, limit));
            received.logs(|line| wire.send(Type::Log, number, &line))?;
            let mut out = Encoder::default();
            frame::put_answer(item.at, &answer, &mut out);
            wire.send(Type::Answer, number, &out.0)?;
        }
    }
    Ok(())
}

fn answer(
    instance: &Instance,
    received: &Received<'_>,
    (asked, limit): (&frame::CallItem<'_>, usize),
) -> Answer {
    let Some(item) = instance.table().items.iter().find(|item| item.at == asked.at) else {
        let outcome = Outcome::Failed("it has no such item".into());
        return Answer { outcome, ..Answer::default() };
    };
    let call = Asked {
        item,
        variant: received.variant_id(),
        args: asked.args,
        context: if item.wants_context { received.call.context } else { "" },
        budget: Some(Duration::from_micros(asked.budget_us)),
        limit,
    };
    instance.call(&call, &received.of(item))
}

/// The socket to the host. The end of the process closes it: a plugin may have closed it before, and then the
/// number may be another file's.
struct Wire(ManuallyDrop<UnixStream>);

impl Wire {
    /// The next frame; none when the host has gone, or has asked nothing for long.
    fn receive(&mut self) -> io::Result<Option<(Type, u32, Vec<u8>)>> {
        let mut head = [0; HEADER_BYTES];
        match self.0.read_exact(&mut head) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.send(Type::Bye, 0, &[])?;
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
        let (length, kind, call) = frame::head(head).map_err(|why| io::Error::other(why.0))?;
        if length > MAX_FRAME_BYTES {
            return Err(io::Error::other("a frame that is too large"));
        }
        let mut payload = vec![0; length];
        self.0.read_exact(&mut payload)?;
        Ok(Some((kind, call, payload)))
    }

    fn send(&mut self, kind: Type, call: u32, payload: &[u8]) -> io::Result<()> {
        self.0.write_all(&frame::frame(kind, call, payload))
    }
}
