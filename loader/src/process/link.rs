//! Our end of a child's socket.
//!
//! In: frames to send, a deadline. Out: frames. Never: blocks past the deadline, in either direction, or takes more than the
//! limit.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, SendFlags};

use crate::frame::{self, HEADER_BYTES, Type};

/// The most bytes that may come before they are asked for.
const MAX_UNASKED_BYTES: usize = 64 * 1024;
/// How long a plain read of the socket waits, which [`spawn`](super::spawn) has set.
pub(super) const SOON: Duration = Duration::from_millis(2);
/// How much is read at a time.
const CHUNK_BYTES: usize = 16 * 1024;
/// The most bytes of standard error that are looked at in one go, and of a line of it.
const ERROR_BYTES: usize = 4096;

/// Why nothing more comes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Broken {
    Closed,
    /// It ended and had not read what was sent: Linux says so, elsewhere it is [`Broken::Closed`].
    Unheard,
    /// It had said that it leaves, for nothing was asked of it.
    Left,
    Late,
    Malformed(&'static str),
}

/// A frame that was received.
pub(super) struct Frame {
    pub(super) kind: Type,
    pub(super) call: u32,
    pub(super) payload: Vec<u8>,
}

pub(super) struct Link {
    socket: UnixStream,
    /// Becomes readable when the process ends, even if another process holds the socket.
    process: Option<OwnedFd>,
    errors: Option<OwnedFd>,
    /// A line of standard error that has no end yet.
    line: Vec<u8>,
    /// What was received and not yet taken.
    inbox: Vec<u8>,
}

impl Link {
    pub(super) fn new(
        socket: UnixStream,
        process: Option<OwnedFd>,
        errors: Option<OwnedFd>,
    ) -> Self {
        Self { socket, process, errors, line: Vec::new(), inbox: Vec::new() }
    }

    /// Sends all of it, and meanwhile takes in what comes: a child that talks first must not wait for us.
    pub(super) fn send(&mut self, mut bytes: &[u8], until: Instant) -> Result<(), Broken> {
        while !bytes.is_empty() {
            match rustix::net::send(&self.socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)
            {
                Ok(sent) => bytes = &bytes[sent..],
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => {
                    self.wait(PollFlags::IN | PollFlags::OUT, until)?;
                    self.fill()?;
                    if self.inbox.len() > MAX_UNASKED_BYTES {
                        return Err(Broken::Malformed("what it was not asked for"));
                    }
                }
                Err(_) => return Err(Broken::Closed),
            }
        }
        Ok(())
    }

    /// The next frame, whose payload has at most `limit` bytes.
    pub(super) fn receive(&mut self, limit: usize, until: Instant) -> Result<Frame, Broken> {
        loop {
            if let Some(frame) = self.take(limit)? {
                return Ok(frame);
            }
            // One that never stops talking does not make us wait either.
            if !self.hear(until)? || Instant::now() >= until {
                self.wait(PollFlags::IN, until)?;
            }
        }
    }

    /// Whether the other end is still there and has said nothing.
    pub(super) fn is_quiet(&mut self) -> bool {
        let Ok(ready) = self.ready(PollFlags::IN, Duration::ZERO) else { return false };
        if ready.errors {
            self.log_errors();
        }
        self.inbox.is_empty() && !ready.socket && !ready.ended
    }

    fn take(&mut self, limit: usize) -> Result<Option<Frame>, Broken> {
        let Some(head) = self.inbox.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let (length, kind, call) = frame::head(*head).map_err(|why| Broken::Malformed(why.0))?;
        if length > limit {
            return Err(Broken::Malformed("more than its limit"));
        }
        if self.inbox.len() < HEADER_BYTES + length {
            return Ok(None);
        }
        let rest = self.inbox.split_off(HEADER_BYTES + length);
        let mut payload = std::mem::replace(&mut self.inbox, rest);
        payload.drain(..HEADER_BYTES);
        Ok(Some(Frame { kind, call, payload }))
    }

    /// Takes in what is there; whether there was anything.
    fn fill(&mut self) -> Result<bool, Broken> {
        self.read(RecvFlags::DONTWAIT)
    }

    /// The same, and waits for it as long as most answers take: a plain read is one call of the system, and is woken
    /// sooner than a poll of several descriptors.
    fn hear(&mut self, until: Instant) -> Result<bool, Broken> {
        let soon = until.saturating_duration_since(Instant::now()) > SOON;
        self.read(if soon { RecvFlags::empty() } else { RecvFlags::DONTWAIT })
    }

    fn read(&mut self, flags: RecvFlags) -> Result<bool, Broken> {
        let before = self.inbox.len();
        self.inbox.resize(before + CHUNK_BYTES, 0);
        let read = loop {
            match rustix::net::recv(&self.socket, &mut self.inbox[before..], flags) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other.map(|(read, _)| read),
            }
        };
        self.inbox.truncate(before + read.unwrap_or_default());
        match read {
            Ok(0) => Err(Broken::Closed),
            Ok(_) => Ok(true),
            Err(rustix::io::Errno::AGAIN) => Ok(false),
            Err(rustix::io::Errno::CONNRESET) => Err(Broken::Unheard),
            Err(_) => Err(Broken::Closed),
        }
    }

    /// Waits until the socket is ready.
    fn wait(&mut self, wanted: PollFlags, until: Instant) -> Result<(), Broken> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Broken::Late);
            }
            let ready = self.ready(wanted, left).map_err(|_| Broken::Closed)?;
            if ready.errors {
                self.log_errors();
            }
            if ready.socket {
                return Ok(());
            }
            if ready.ended {
                // What it sent before its end is still there to be read.
                return if self.fill()? { Ok(()) } else { Err(Broken::Closed) };
            }
        }
    }

    fn ready(&self, wanted: PollFlags, left: Duration) -> io::Result<Ready> {
        let socket = self.socket.as_fd();
        let process = self.process.as_ref().map_or(socket, AsFd::as_fd);
        let errors = self.errors.as_ref().map_or(socket, AsFd::as_fd);
        let mut fds = [
            PollFd::from_borrowed_fd(socket, wanted),
            PollFd::from_borrowed_fd(process, watched(self.process.is_some())),
            PollFd::from_borrowed_fd(errors, watched(self.errors.is_some())),
        ];
        let timeout = Timespec::try_from(left).unwrap_or_default();
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [on_socket, on_process, on_errors] = fds.map(|fd| !fd.revents().is_empty());
        Ok(Ready {
            socket: on_socket,
            ended: on_process && self.process.is_some(),
            errors: on_errors && self.errors.is_some(),
        })
    }

    /// Hands what the child wrote to its standard error to the log.
    pub(super) fn log_errors(&mut self) {
        let Some(errors) = &self.errors else { return };
        let mut bytes = [0; ERROR_BYTES];
        match rustix::io::read(errors, &mut bytes) {
            Ok(0) => self.errors = None,
            Ok(read) => {
                for part in bytes[..read].split_inclusive(|byte| *byte == b'\n') {
                    self.line.extend_from_slice(part);
                    if part.ends_with(b"\n") || self.line.len() >= ERROR_BYTES {
                        self.log_line();
                    }
                }
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => self.errors = None,
        }
    }

    fn log_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        crate::log::line("", crate::log::DEBUG, text.trim_end_matches(['\r', '\n']));
    }
}

/// The last line of standard error may have no end.
impl Drop for Link {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            self.log_line();
        }
    }
}

/// What is asked of a descriptor that may not be there; the socket's stands in for it, and is asked nothing.
fn watched(there: bool) -> PollFlags {
    if there { PollFlags::IN } else { PollFlags::empty() }
}

/// What a wait has found.
struct Ready {
    socket: bool,
    ended: bool,
    errors: bool,
}
