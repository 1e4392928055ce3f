//! Events from the frames of AWS, which Bedrock's streams are made of.
//!
//! In: chunks cut anywhere. Out: [`ServerEvent`]s: the type of a frame and its payload. Never: an event of a frame whose checksums are
//! wrong, or more than [`MAX_EVENT_BYTES`] held.

use crate::sse::{MAX_EVENT_BYTES, ServerEvent};

/// Lengths of the frame and of its headers, and a checksum of both.
const PRELUDE: usize = 12;
/// The checksum at the end.
const CHECKSUM: usize = 4;

/// Bytes that are no frames, or damaged ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A length that cannot be, or more than is taken.
    #[error("a frame of the stream has an impossible length")]
    Length,
    /// A checksum does not fit.
    #[error("a frame of the stream is damaged")]
    Checksum,
    /// The headers are none.
    #[error("a frame of the stream has headers that cannot be read")]
    Headers,
    /// The stream ended within a frame.
    #[error("the stream ended within a frame")]
    Cut,
}

/// Reads frames; make one for each stream. After an error it is of no use any more.
#[derive(Clone, Debug, Default)]
pub struct FrameReader {
    held: Vec<u8>,
}

impl FrameReader {
    /// Takes a chunk, and adds the events that end in it.
    ///
    /// # Errors
    /// [`FrameError`].
    pub fn push(&mut self, chunk: &[u8], events: &mut Vec<ServerEvent>) -> Result<(), FrameError> {
        self.held.extend_from_slice(chunk);
        let mut from = 0;
        while let Some(length) = length(&self.held[from..])? {
            let Some(frame) = self.held.get(from..from + length) else { break };
            events.extend(event(frame)?);
            from += length;
        }
        self.held.drain(..from);
        Ok(())
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// [`FrameError::Cut`].
    pub fn finish(&mut self) -> Result<(), FrameError> {
        if self.held.is_empty() { Ok(()) } else { Err(FrameError::Cut) }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(four)).ok()
}

/// The length of the frame that begins here, once its prelude is there.
fn length(bytes: &[u8]) -> Result<Option<usize>, FrameError> {
    let Some(prelude) = bytes.get(..PRELUDE) else { return Ok(None) };
    check(&prelude[..PRELUDE - CHECKSUM], number(prelude, PRELUDE - CHECKSUM))?;
    let whole = number(prelude, 0).unwrap_or_default();
    let headers = number(prelude, 4).unwrap_or_default();
    let least = headers.saturating_add(PRELUDE + CHECKSUM);
    if whole < least || whole > MAX_EVENT_BYTES {
        return Err(FrameError::Length);
    }
    Ok(Some(whole))
}

fn check(bytes: &[u8], sum: Option<usize>) -> Result<(), FrameError> {
    let found = usize::try_from(crc32fast::hash(bytes)).ok();
    if found == sum { Ok(()) } else { Err(FrameError::Checksum) }
}

/// The event of a whole frame; none where the frame says nothing.
fn event(frame: &[u8]) -> Result<Option<ServerEvent>, FrameError> {
    let end = frame.len() - CHECKSUM;
    check(&frame[..end], number(frame, end))?;
    let split = PRELUDE + number(frame, 4).unwrap_or_default();
    let (headers, payload) = (&frame[PRELUDE..split], &frame[split..end]);
    let headers = Headers::read(headers).ok_or(FrameError::Headers)?;
    let data = String::from_utf8_lossy(payload).into_owned();
    let (name, data) = match headers.message.as_str() {
        "exception" => (headers.exception, data),
        "error" => {
            let told = serde_json::json!({ "message": headers.error_message });
            (format!("{}Error", headers.error_code), told.to_string())
        }
        _ => (headers.event, data),
    };
    Ok((!data.is_empty()).then_some(ServerEvent { name, data }))
}

/// The headers that say something here.
#[derive(Default)]
struct Headers {
    message: String,
    event: String,
    exception: String,
    error_code: String,
    error_message: String,
}

impl Headers {
    fn read(mut bytes: &[u8]) -> Option<Self> {
        let mut all = Self::default();
        while let Some((length, rest)) = bytes.split_first() {
            let (name, rest) = rest.split_at_checked(usize::from(*length))?;
            let (kind, rest) = rest.split_first()?;
            let (length, rest) = match kind {
                0 | 1 => (0, rest),
                2 => (1, rest),
                3 => (2, rest),
                4 => (4, rest),
                5 | 8 => (8, rest),
                6 | 7 => {
                    let (length, rest) = rest.split_at_checked(2)?;
                    (usize::from(u16::from_be_bytes(length.try_into().ok()?)), rest)
                }
                9 => (16, rest),
                _ => return None,
            };
            let (value, rest) = rest.split_at_checked(length)?;
            bytes = rest;
            let place = match name {
                b":message-type" => &mut all.message,
                b":event-type" => &mut all.event,
                b":exception-type" => &mut all.exception,
                b":error-code" => &mut all.error_code,
                b":error-message" => &mut all.error_message,
                _ => continue,
            };
            *place = String::from_utf8_lossy(value).into_owned();
        }
        Some(all)
    }
}
