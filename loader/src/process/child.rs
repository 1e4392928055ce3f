//! One child: started, asked, ended.
//!
//! In: an order, then calls. Out: payloads, or how the process ended. Never: leaves a process of its group
//! behind; signals a number that may be another's by now.

use std::path::PathBuf;
use std::process::{Child as Process, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::fault::{Death, Fault};
use super::link::{Broken, Frame, Link};
use super::spawn::{HostProgram, spawn};
use super::stray;
use crate::frame::{self, Load, Loaded, PROTOCOL, Type};
use crate::limits::{Confine, Limits, Sandbox};
use crate::table::Table;

/// The most bytes of a child's first frame: its table.
const MAX_TABLE_BYTES: usize = 8 << 20;
/// What a child has said already is read, even when the host comes late to hear it.
const HEARING: Duration = Duration::from_millis(50);
/// How long a process whose socket is closed may take to end by itself, so that we learn how it did; a busy
/// system closes the socket long before the process has gone.
const ENDING: Duration = Duration::from_millis(250);

/// What a child runs, and how.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) program: HostProgram,
    pub(crate) load: Load,
    /// From the start to the table.
    pub(crate) load_time: Duration,
}

impl Order {
    pub(crate) fn new(
        program: HostProgram,
        (library, config): (PathBuf, &str),
        confine: Confine,
        limits: &Limits,
    ) -> Self {
        let load = Load {
            protocol: PROTOCOL,
            host: std::process::id(),
            library,
            config: config.into(),
            confine,
            output: limits.output,
            idle_ms: limits.idle.as_millis() as u64,
        };
        Self { program, load, load_time: limits.load }
    }
}

/// A child that has loaded its plugin.
pub(super) struct Child {
    process: Process,
    link: Link,
    token: String,
    pub(super) sandbox: Sandbox,
    /// Whether the plugin may have left processes behind.
    forks: bool,
    /// The number of the last call.
    calls: u32,
    /// Whether its number is given up.
    reaped: bool,
}

impl Child {
    /// Starts a child and waits for its table.
    pub(super) fn start(order: &Order) -> Result<(Self, Table), Fault> {
        let unstarted = |why: String| Fault::Unstarted(why);
        let load = serde_json::to_vec(&order.load)
            .map_err(|error| unstarted(format!("it cannot be told what to load: {error}")))?;
        let spawned = spawn(&order.program).map_err(|error| {
            unstarted(format!("`{}` does not start: {error}", order.program.path.display()))
        })?;
        let mut child = Self {
            link: Link::new(spawned.socket, watch(&spawned.process), spawned.errors),
            process: spawned.process,
            token: spawned.token,
            sandbox: Sandbox::None,
            forks: true,
            calls: 0,
            reaped: false,
        };
        match child.load(&load, order.load_time) {
            Ok(Loaded { table: Ok(table), sandbox, .. }) => {
                child.sandbox = sandbox;
                child.forks = sandbox != Sandbox::Full || order.load.confine.processes;
                Ok((child, table))
            }
            Ok(Loaded { table: Err(why), .. }) => Err(unstarted(why)),
            Err(broken) => {
                let limit = order.load_time;
                Err(unstarted(match child.end(&broken, limit) {
                    Fault::Died(death) => format!("its process {death} while it loaded"),
                    Fault::Late(limit) => {
                        format!("it took longer than {} ms to load", limit.as_millis())
                    }
                    other => other.to_string(),
                }))
            }
        }
    }

    fn load(&mut self, load: &[u8], time: Duration) -> Result<Loaded, Broken> {
        let until = Instant::now() + time;
        self.link.send(&frame::frame(Type::Load, 0, load), until)?;
        let Frame { kind, payload, .. } = self.link.receive(MAX_TABLE_BYTES, until)?;
        let loaded: Loaded = match kind {
            Type::Loaded => serde_json::from_slice(&payload)
                .map_err(|_| Broken::Malformed("a table that is none"))?,
            _ => return Err(Broken::Malformed("something else before its table")),
        };
        if loaded.protocol != PROTOCOL {
            return Err(Broken::Malformed("another version of the protocol"));
        }
        Ok(loaded)
    }

    /// Whether it can be asked: it waits, and has not left meanwhile.
    pub(super) fn is_idle(&mut self) -> bool {
        self.link.is_quiet()
    }

    /// Sends a call; its number.
    pub(super) fn ask(&mut self, call: &[u8], until: Instant) -> Result<u32, Broken> {
        self.calls = self.calls.wrapping_add(1);
        self.link.send(&frame::frame(Type::Call, self.calls, call), until)?;
        Ok(self.calls)
    }

    /// The payload of the next answer to that call.
    pub(super) fn answer(
        &mut self,
        call: u32,
        limit: usize,
        until: Instant,
    ) -> Result<Vec<u8>, Broken> {
        let until = until.max(Instant::now() + HEARING);
        loop {
            let Frame { kind, call: number, payload } = self.link.receive(limit, until)?;
            match kind {
                Type::Log if Instant::now() >= until => return Err(Broken::Late),
                Type::Log => log(&payload).map_err(|why| Broken::Malformed(why.0))?,
                Type::Answer if number == call => return Ok(payload),
                Type::Answer => return Err(Broken::Malformed("an answer to another call")),
                Type::Bye => return Err(Broken::Left),
                Type::Load | Type::Call | Type::Loaded => {
                    return Err(Broken::Malformed("a frame out of turn"));
                }
            }
        }
    }

    /// Ends the process, and says why it could not go on.
    pub(super) fn end(mut self, broken: &Broken, limit: Duration) -> Fault {
        let ended = match broken {
            Broken::Closed | Broken::Unheard | Broken::Left => self.ended(ENDING),
            Broken::Late | Broken::Malformed(_) => None,
        };
        drop(self);
        match broken {
            Broken::Closed | Broken::Unheard | Broken::Left => {
                Fault::Died(ended.map_or(Death::Closed, Death::of))
            }
            Broken::Late => Fault::Late(limit),
            Broken::Malformed(what) => Fault::Hostile(what),
        }
    }

    /// How the process ended, if it does within that time. Its group ends before its number is given up, for
    /// that may be another's at once.
    fn ended(&mut self, within: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + within;
        while !self.has_ended() {
            if Instant::now() >= until {
                return None;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        self.kill_group();
        self.reaped = true;
        self.process.wait().ok()
    }

    fn has_ended(&self) -> bool {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let own = Pid::from_raw(self.process.id() as i32);
        own.is_none_or(|own| !matches!(waitid(WaitId::Pid(own), how), Ok(None)))
    }

    /// Waits elsewhere for a process that was killed and that the system cannot end yet, such as one that reads
    /// from a disk that does not answer.
    fn reap_later(&self) {
        let Some(own) = Pid::from_raw(self.process.id() as i32) else { return };
        let wait = move || _ = waitid(WaitId::Pid(own), WaitIdOptions::EXITED);
        // Without a thread its number stays taken until this process ends.
        let _ = std::thread::Builder::new().name("plugin-reaper".into()).spawn(wait);
    }

    fn kill_group(&self) {
        if let Some(group) = Pid::from_raw(self.process.id() as i32) {
            // Fails when all of the group has ended already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Nobody is left: not the process, nor its group, nor what it started under another group.
impl Drop for Child {
    fn drop(&mut self) {
        self.link.log_errors();
        if !self.reaped {
            self.kill_group();
            let _ = self.process.kill();
            let _ = self.ended(ENDING);
        }
        if !self.reaped {
            self.reap_later();
        }
        if self.forks {
            stray::end(&self.token);
        }
    }
}

fn log(payload: &[u8]) -> Result<(), frame::Malformed> {
    let mut line = frame::Decoder::new(payload);
    let (item, level, message) = (line.text()?, line.u32()?, line.text()?);
    crate::log::line(item, level, message);
    Ok(())
}

/// What becomes readable when the process ends.
#[cfg(target_os = "linux")]
fn watch(process: &Process) -> Option<std::os::fd::OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_raw(process.id() as i32)?, PidfdFlags::empty()).ok()
}

/// Elsewhere the end of the process shows as the end of its socket.
#[cfg(not(target_os = "linux"))]
fn watch(_: &Process) -> Option<std::os::fd::OwnedFd> {
    None
}
