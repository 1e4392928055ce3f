//! A program that takes the place of the one that plugins run in, and keeps to the protocol as far as its argument says.
//!
//! In: frames of a host on standard input. Out: frames, some of them wrong. Never: loads a library.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::Duration;

const CALL: u8 = 2;
const LOADED: u8 = 3;
const ANSWER: u8 = 4;
const LOG: u8 = 5;
const BYE: u8 = 6;

fn main() {
    let habit = std::env::args().nth(1).unwrap_or_default();
    // Standard input is a socket: it takes what is written, too.
    let socket = std::io::stdin().as_fd().try_clone_to_owned();
    let mut host = Host(UnixStream::from(socket.expect("a socket")));
    let _ = host.receive();
    host.load(&habit);
    // The second argument names a file that only the first of all children can make.
    let first = || std::fs::File::create_new(std::env::args().nth(2).unwrap_or_default()).is_ok();
    if habit == "unheard-once" && first() {
        sleep(Duration::from_millis(400));
        std::process::exit(5);
    }
    while let Some((kind, call, payload)) = host.receive() {
        assert_eq!(kind, CALL);
        host.answer(&habit, call, &items(&payload));
    }
}

/// The places of the items that are asked; a call ends with a list of place, empty arguments, time.
fn items(payload: &[u8]) -> Vec<u32> {
    let number =
        |at: usize| u32::from_le_bytes(payload[at..at + 4].try_into().expect("four bytes"));
    let begins = |count: usize| payload.len().checked_sub(count * 16);
    let fits = |count: &usize| {
        let head = begins(*count).and_then(|at| at.checked_sub(4));
        head.is_some_and(|at| number(at) as usize == *count)
    };
    let count = (1..=2).find(fits).unwrap_or_default();
    (0..count).map(|item| number(payload.len() - (count - item) * 16)).collect()
}

struct Host(UnixStream);

impl Host {
    fn receive(&mut self) -> Option<(u8, u32, Vec<u8>)> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).ok()?;
        let length = u32::from_le_bytes(head[..4].try_into().expect("four bytes"));
        let call = u32::from_le_bytes(head[5..].try_into().expect("four bytes"));
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).ok()?;
        Some((head[4], call, payload))
    }

    /// What the host does not want to hear any more is lost.
    fn raw(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes);
    }

    fn send(&mut self, kind: u8, call: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).expect("a short payload");
        let frame = [&length.to_le_bytes()[..], &[kind], &call.to_le_bytes(), payload].concat();
        self.raw(&frame);
    }

    fn load(&mut self, habit: &str) {
        match habit {
            "load-garbage" => self.raw(b"HTTP/1.1 200 OK\r\n\r\n"),
            "load-huge" => self.raw(&[0xff, 0xff, 0xff, 0x7f, LOADED, 0, 0, 0, 0]),
            "load-silent" => sleep(Duration::from_secs(600)),
            "load-half" => {
                self.raw(&[100, 0, 0, 0, LOADED, 0, 0, 0, 0, b'{']);
                sleep(Duration::from_secs(600));
            }
            "load-no-json" => self.send(LOADED, 0, b"{{"),
            "load-protocol" => self.send(LOADED, 0, table("fine", 9).as_bytes()),
            "load-answer" => self.send(ANSWER, 0, b"{}"),
            "load-bye" => self.send(BYE, 0, b""),
            "load-other" => self.send(LOADED, 0, table("other", 1).as_bytes()),
            _ => self.send(LOADED, 0, table("fine", 1).as_bytes()),
        }
    }

    fn answer(&mut self, habit: &str, call: u32, items: &[u32]) {
        for item in items {
            match item {
                0 => self.misbehave(habit, call),
                _ => self.send(ANSWER, call, &text(*item, b"good\n")),
            }
        }
        if habit == "deaf" {
            let _ = self.0.shutdown(Shutdown::Read);
            sleep(Duration::from_secs(600));
        }
    }

    fn misbehave(&mut self, habit: &str, call: u32) {
        let fine = text(0, b"fine\n");
        match habit {
            "garbage" => self.raw(&[0xaa; 4096]),
            "huge" => self.raw(&[0xff, 0xff, 0xff, 0xff, ANSWER, 1, 0, 0, 0]),
            "too-large" => self.send(ANSWER, call, &vec![1; 8 << 20]),
            "wrong-call" => self.send(ANSWER, call + 7, &fine),
            "wrong-item" => self.send(ANSWER, call, &text(9, b"fine\n")),
            "twice" => {
                self.send(ANSWER, call, &fine);
                self.send(ANSWER, call, &fine);
            }
            "half" => {
                self.raw(&[100, 0, 0, 0, ANSWER, 1, 0]);
                sleep(Duration::from_secs(600));
            }
            "trickle" => {
                self.raw(&[&[0, 0, 1, 0, ANSWER], &call.to_le_bytes()[..]].concat());
                loop {
                    self.raw(b"x");
                    sleep(Duration::from_millis(5));
                }
            }
            "logs" => loop {
                let line = [&text(0, b"")[5..], &4_u32.to_le_bytes(), &text(0, b"")[5..]].concat();
                self.send(LOG, call, &line);
            },
            "bad-log" => self.send(LOG, call, b"?"),
            "unknown-type" => self.send(77, call, &fine),
            "load-again" => self.send(LOADED, call, table("fine", 1).as_bytes()),
            "not-utf8" => self.send(ANSWER, call, &text(0, b"caf\xe9")),
            "long-list" => {
                let mut answer = fine;
                let lists = answer.len() - 16;
                answer[lists..lists + 4].copy_from_slice(&u32::MAX.to_le_bytes());
                self.send(ANSWER, call, &answer);
            }
            "long-text" => self.send(ANSWER, call, &text(0, &[b'x'; 70_000])),
            "many-reports" => {
                let none = [0; 16];
                let reports = none.repeat(1000);
                let head = [&text(0, b"fine\n")[..14], &1000_u32.to_le_bytes()].concat();
                self.send(ANSWER, call, &[&head[..], &reports, &none[..12]].concat());
            }
            "more-behind" => self.send(ANSWER, call, &[&fine[..], b"?"].concat()),
            "bye" => self.send(BYE, 0, b""),
            "floods-errors" => {
                for _ in 0..100_000 {
                    let _ = std::io::stderr().write_all(b"a line that nobody asked for\n");
                }
                self.send(ANSWER, call, &fine);
            }
            "leaves" => std::process::exit(3),
            _ => self.send(ANSWER, call, &fine),
        }
    }
}

/// An answer with a text: place, kind, text, and four empty lists.
fn text(item: u32, text: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("a short text");
    [&item.to_le_bytes()[..], &[1], &length.to_le_bytes(), text, &[0; 16]].concat()
}

fn table(name: &str, protocol: u32) -> String {
    let item = |at: u32, id: &str| {
        format!(
            r#"{{"at": {at}, "kind": "component", "id": "{id}", "description": "", "deps": [], "sections": [],
            "cache": "volatile", "reason": "a test", "data": "", "wants_context": false, "runs": true}}"#
        )
    };
    format!(
        r#"{{"protocol": {protocol}, "sandbox": "none", "table": {{"Ok": {{"name": "{name}", "version": "1.0.0",
        "description": "", "abi_minor": 0, "thread_safe": false, "items": [{}, {}]}}}}}}"#,
        item(0, "bad"),
        item(1, "good")
    )
}
