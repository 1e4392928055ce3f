//! Server-sent events from bytes that were cut anywhere.
//!
//! In: chunks. Out: [`ServerEvent`]s, as the HTML standard reads them. Never: holds more than [`MAX_EVENT_BYTES`], or
//! loses an event because its last line end is missing.

use memchr::memchr2;

/// The longest event that is taken, in bytes: an image inside of it fits, a server gone mad does not.
pub const MAX_EVENT_BYTES: usize = 32 << 20;

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerEvent {
    /// The field `event`; empty when there is none.
    pub name: String,
    /// The fields `data`, joined by line feeds. Bytes that are no UTF-8 became U+FFFD.
    pub data: String,
}

/// An event is longer than [`MAX_EVENT_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {MAX_EVENT_BYTES} bytes")]
pub struct TooLong;

/// Reads events; make one for each stream.
#[derive(Clone, Debug, Default)]
pub struct SseReader {
    /// The line that has begun.
    line: Vec<u8>,
    name: String,
    data: Vec<u8>,
    field: Fields,
    at: At,
}

/// Whether the event that has begun has data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fields {
    #[default]
    None,
    Data,
}

/// What the next byte may be besides content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    /// A byte order mark.
    #[default]
    Start,
    /// Nothing.
    Inside,
    /// The line feed of a carriage return that was seen.
    LineFeed,
}

impl SseReader {
    /// Takes a chunk, and adds the events that end in it.
    ///
    /// # Errors
    /// [`TooLong`]; the reader is of no use any more then.
    pub fn push(&mut self, chunk: &[u8], events: &mut Vec<ServerEvent>) -> Result<(), TooLong> {
        let mut rest = chunk;
        while !rest.is_empty() {
            if self.at == At::LineFeed {
                self.at = At::Inside;
                if rest[0] == b'\n' {
                    rest = &rest[1..];
                    continue;
                }
            }
            let Some(end) = memchr2(b'\n', b'\r', rest) else {
                self.hold(rest)?;
                break;
            };
            self.hold(&rest[..end])?;
            self.end_line(events);
            self.at = if rest[end] == b'\r' { At::LineFeed } else { At::Inside };
            rest = &rest[end + 1..];
        }
        Ok(())
    }

    /// Ends the stream. An event whose blank line is missing is told too: whoever reads its data sees whether it is whole.
    pub fn finish(&mut self, events: &mut Vec<ServerEvent>) {
        self.end_line(events);
        self.dispatch(events);
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.data.len() + bytes.len() > MAX_EVENT_BYTES {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<ServerEvent>) {
        let line = std::mem::take(&mut self.line);
        let mut content = &line[..];
        if self.at == At::Start {
            content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
        }
        if content.is_empty() {
            self.dispatch(events);
        } else {
            self.field(content);
        }
        // The room is kept for the next line.
        self.line = line;
        self.line.clear();
    }

    fn field(&mut self, line: &[u8]) {
        let colon = memchr::memchr(b':', line);
        let (name, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            b"data" => {
                if self.field == Fields::Data {
                    self.data.push(b'\n');
                }
                self.field = Fields::Data;
                self.data.extend_from_slice(value);
            }
            // Comments have an empty name; `id`, `retry` and unknown fields say nothing here.
            _ => {}
        }
    }

    fn dispatch(&mut self, events: &mut Vec<ServerEvent>) {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        if std::mem::take(&mut self.field) == Fields::Data {
            let data = String::from_utf8(data)
                .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
            events.push(ServerEvent { name, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], size: usize) -> Vec<(String, String)> {
        let (mut reader, mut events) = (SseReader::default(), Vec::new());
        for chunk in bytes.chunks(size) {
            reader.push(chunk, &mut events).unwrap();
        }
        reader.finish(&mut events);
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    #[test]
    fn every_cut_gives_the_same_events() {
        type Case = (&'static [u8], &'static [(&'static str, &'static str)]);
        let cases: &[Case] = &[
            (b"data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]),
            (b"\xef\xbb\xbfevent: x\r\ndata:1\r\n\r\n", &[("x", "1")]),
            (b": ping\n\nevent: y\n\ndata\n\n", &[("", "")]),
            (b"data: a\rdata:  b\r\rdata: \xc3\xa4\n", &[("", "a\n b"), ("", "\u{e4}")]),
            (b"id: 1\nretry: 5\nnope: x\ndata: a:b\n\n", &[("", "a:b")]),
            (b"data: \xff\n\ndata: {", &[("", "\u{fffd}"), ("", "{")]),
            (b"\n\r\n\n", &[]),
        ];
        for (bytes, expected) in cases {
            for size in 1..=bytes.len() {
                let found = read(bytes, size);
                let found: Vec<_> = found.iter().map(|(n, d)| (n.as_str(), d.as_str())).collect();
                assert_eq!(&found, expected, "{} by {size}", String::from_utf8_lossy(bytes));
            }
        }
    }

    #[test]
    fn what_never_ends_is_refused() {
        let (mut reader, mut events) = (SseReader::default(), Vec::new());
        let chunk = vec![b'x'; 1 << 20];
        let all = (0..33).try_for_each(|_| reader.push(&chunk, &mut events));
        assert_eq!(all, Err(TooLong));
    }
}
