//! What an author can ask of the host during a call.
//!
//! In: the host's functions and the call. Out: values that borrow until the call returns, and the host's
//! status as an error where it refuses. Never: allocates for a read; outlives the call, or leaves its
//! thread.

use std::fmt;
use std::time::Duration;

use promptweave_abi::{
    Call, Ctx, GET_JSON, HostApi, Level, ORIGIN_EXTENSION, OriginExtension, Status, Str,
    Value as RawValue, has,
};

use crate::error::What;
use crate::value::text;
use crate::{Error, Value};

/// One call: reads the context, writes the output.
///
/// Its texts live until the call returns, and cannot be kept:
///
/// ```compile_fail
/// fn keep(kept: &mut Vec<&'static str>, cx: &promptweave_plugin::Cx<'_>) {
///     kept.push(cx.item_id());
/// }
/// ```
pub struct Cx<'a> {
    host: &'static HostApi,
    call: &'a Call,
    item_id: &'a str,
    variant_id: &'a str,
    args: &'a str,
    written: u64,
}

/// Something that the user should know, though the call goes on.
#[derive(Clone, Copy, Debug)]
pub struct Report<'r> {
    /// How grave it is.
    pub level: Level,
    /// A stable name for tools: lower case, with `-`.
    pub code: &'r str,
    /// Lower case, no full stop, names in backticks.
    pub message: &'r str,
    /// What to do about it.
    pub help: Option<&'r str>,
}

type Read = unsafe extern "C" fn(*mut Ctx, Str, u32, *mut RawValue) -> Status;

impl<'a> Cx<'a> {
    /// # Safety
    /// `call` and `host` keep to the header for `'a`, and this is the thread of the call.
    pub(crate) unsafe fn new(host: &'static HostApi, call: &'a Call) -> Result<Self, Error> {
        // SAFETY: the texts of a call live as long as the call.
        let of_call = |raw, noun| unsafe { text(raw, What(noun, None)) };
        Ok(Self {
            host,
            call,
            item_id: of_call(call.item_id, "item's id")?,
            variant_id: of_call(call.variant_id, "variant's id")?,
            args: of_call(call.args, "arguments")?,
            written: 0,
        })
    }

    pub(crate) fn host(&self) -> &'static HostApi {
        self.host
    }

    /// The value at a context key: dotted as `tools[0].name`, or a JSON pointer when it begins with `/`.
    /// None when nothing is there.
    ///
    /// # Errors
    /// [`Status::E_UNDECLARED`]: the key is not covered by the item's `DEPS`. [`Status::E_ARG`]: it is no
    /// key.
    pub fn get(&self, key: &str) -> Result<Option<Value<'a>>, Error> {
        self.read(self.host.get, 0, What("key", Some(key)), key)
    }

    /// The string at a context key; none when there is nothing, or `null`.
    ///
    /// # Errors
    /// As [`get`](Self::get); [`Status::E_CONTEXT`]: something else is there.
    pub fn get_str(&self, key: &str) -> Result<Option<&'a str>, Error> {
        match self.get(key)? {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_kind(key, other, "a string")),
        }
    }

    /// The truth value at a context key; none when there is nothing, or `null`.
    ///
    /// # Errors
    /// As [`get`](Self::get); [`Status::E_CONTEXT`]: something else is there.
    pub fn get_bool(&self, key: &str) -> Result<Option<bool>, Error> {
        match self.get(key)? {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(other) => Err(wrong_kind(key, other, "a bool")),
        }
    }

    /// The whole number at a context key; none when there is nothing, or `null`.
    ///
    /// # Errors
    /// As [`get`](Self::get); [`Status::E_CONTEXT`]: something else is there, a fraction, or a number that
    /// 64 bits cannot hold.
    pub fn get_i64(&self, key: &str) -> Result<Option<i64>, Error> {
        match self.get(key)? {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => match number.parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(Error::context(format!("the key `{key}` is no 64-bit integer"))),
            },
            Some(other) => Err(wrong_kind(key, other, "a number")),
        }
    }

    /// The value at a context key as JSON, strings too.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_json(&self, key: &str) -> Result<Option<&'a str>, Error> {
        let value = self.read(self.host.get, GET_JSON, What("key", Some(key)), key)?;
        Ok(value.map(|value| match value {
            Value::Null => "null",
            Value::Bool(true) => "true",
            Value::Bool(false) => "false",
            Value::Number(json)
            | Value::String(json)
            | Value::Array(json)
            | Value::Object(json) => json,
        }))
    }

    /// A fact of the variant: `id`, `version`, `family`, `labels`, `tags` or `placeholders.NAME`.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn variant(&self, key: &str) -> Result<Option<Value<'a>>, Error> {
        self.read(self.host.variant, 0, What("key of the variant", Some(key)), key)
    }

    fn read(
        &self,
        read: Read,
        flags: u32,
        what: What<'_>,
        key: &str,
    ) -> Result<Option<Value<'a>>, Error> {
        let mut raw = RawValue::EMPTY;
        // SAFETY: the host's own function, with its context, on the call's thread; `raw` says its size.
        let status = unsafe { read(self.call.ctx, Str::new(key), flags, &mut raw) };
        if !present(status, what)? {
            return Ok(None);
        }
        // SAFETY: the host has filled it; what it points at lives until the call returns.
        unsafe { Value::read(raw, what) }.map(Some)
    }

    /// The text of an earlier section; none when there is none.
    ///
    /// # Errors
    /// [`Status::E_UNDECLARED`]: it is not among the item's `SECTIONS`.
    pub fn section(&self, id: &str) -> Result<Option<&'a str>, Error> {
        let (mut raw, what) = (Str::ABSENT, What("section", Some(id)));
        // SAFETY: the host's own function, with its context, on the call's thread.
        let status = unsafe { (self.host.section)(self.call.ctx, Str::new(id), &mut raw) };
        if !present(status, what)? {
            return Ok(None);
        }
        // SAFETY: the host has filled it; the section lives until the call returns.
        unsafe { text(raw, what) }.map(Some)
    }

    /// Appends to the output.
    ///
    /// # Errors
    /// [`Status::E_LIMIT`] and [`Status::E_CANCELLED`]: return it; the host keeps nothing of this call.
    pub fn write(&mut self, text: &str) -> Result<(), Error> {
        // SAFETY: the host's own function, with its context, on the call's thread; it copies.
        let status = unsafe { (self.host.write)(self.call.ctx, Str::new(text)) };
        done(status, What("output", None))?;
        self.written += text.len() as u64;
        Ok(())
    }

    /// Makes `write!(cx, "{a} and {b}")?` work, with the host's status if it fails.
    ///
    /// # Errors
    /// As [`write`](Self::write); an error of a value that was to be displayed.
    pub fn write_fmt(&mut self, args: fmt::Arguments<'_>) -> Result<(), Error> {
        let mut sink = Sink { cx: self, refused: None };
        let outcome = fmt::Write::write_fmt(&mut sink, args);
        match (sink.refused, outcome) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(())) => Ok(()),
        }
    }

    /// Appends text that came from a file, its first byte from `line` (from 1; 0: not known). A host that
    /// offers `weave.origin/1` then shows this place for it; another one, or one that has enough places, takes the
    /// text alone.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_from(&mut self, text: &str, path: &str, line: u32) -> Result<(), Error> {
        let start = self.written;
        self.write(text)?;
        let Some(origin) = self.origin() else { return Ok(()) };
        // SAFETY: the host's own function, with its context, on the call's thread; it copies the path.
        let status =
            unsafe { (origin.add)(self.call.ctx, start, self.written, Str::new(path), line) };
        if status == Status::E_LIMIT {
            // A place is worth less than the text that is there already.
            return Ok(());
        }
        done(status, What("origin", Some(path)))
    }

    fn origin(&self) -> Option<&'static OriginExtension> {
        // SAFETY: the host's own function; it asks for nothing but an id.
        let found = unsafe { (self.host.extension)(Str::new(ORIGIN_EXTENSION)) };
        let found = found.cast::<OriginExtension>();
        if found.is_null() {
            return None;
        }
        // SAFETY: by its id it is this struct, which begins with its size and lives as long as the host.
        let size = unsafe { (*found).struct_size };
        // SAFETY: its size reaches to the last field that 1.0 knows.
        has!(size, OriginExtension, add).then(|| unsafe { &*found })
    }

    /// Whether the deadline has passed. Worth asking in a long loop: what comes later is thrown away.
    pub fn cancelled(&self) -> bool {
        // SAFETY: the host's own function, with its context, on the call's thread.
        unsafe { (self.host.cancelled)(self.call.ctx) }.is_failure()
    }

    /// The time that was left when the call began; none when the host did not tell.
    pub fn budget(&self) -> Option<Duration> {
        let micros = self.call.budget_us;
        (micros > 0).then(|| Duration::from_micros(micros))
    }

    /// Logs a line. Never log texts or values: a log is read by others.
    pub fn log(&self, level: Level, message: &str) {
        // SAFETY: the host's own function, with its context, on the call's thread; it copies.
        unsafe { (self.host.log)(self.call.ctx, level, Str::new(message)) };
    }

    /// Adds a diagnostic to the prompt's result.
    ///
    /// # Errors
    /// What the host says.
    pub fn report(&self, report: Report<'_>) -> Result<(), Error> {
        let help = report.help.map_or(Str::ABSENT, Str::new);
        let (code, message) = (Str::new(report.code), Str::new(report.message));
        // SAFETY: the host's own function, with its context, on the call's thread; it copies.
        let status =
            unsafe { (self.host.report)(self.call.ctx, report.level, code, message, help) };
        done(status, What("report", Some(report.code)))
    }

    /// Says something about the output, as JSON: `title`, or `cache` (only towards volatile).
    ///
    /// # Errors
    /// What the host says, such as [`Status::E_UNSUPPORTED`] for a key that it does not know.
    pub fn meta(&self, key: &str, json: &str) -> Result<(), Error> {
        // SAFETY: the host's own function, with its context, on the call's thread; it copies.
        let status = unsafe { (self.host.meta)(self.call.ctx, Str::new(key), Str::new(json)) };
        done(status, What("note", Some(key)))
    }

    /// The arguments of a helper, as a JSON array; empty for other items.
    pub fn args(&self) -> &'a str {
        self.args
    }

    /// Which item is called.
    pub fn item_id(&self) -> &'a str {
        self.item_id
    }

    /// For which variant; empty before one is chosen.
    pub fn variant_id(&self) -> &'a str {
        self.variant_id
    }
}

fn wrong_kind(key: &str, found: Value<'_>, wanted: &str) -> Error {
    Error::context(format!("the key `{key}` holds {}, not {wanted}", found.noun()))
}

fn present(status: Status, what: What<'_>) -> Result<bool, Error> {
    done(status, what).map(|()| status != Status::NOTHING)
}

fn done(status: Status, what: What<'_>) -> Result<(), Error> {
    if status.is_failure() { Err(Error::refused(status, what)) } else { Ok(()) }
}

/// Keeps the host's status, for which `fmt::Error` has no room.
struct Sink<'s, 'a> {
    cx: &'s mut Cx<'a>,
    refused: Option<Error>,
}

impl fmt::Write for Sink<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.cx.write(text).map_err(|error| {
            self.refused = Some(error);
            fmt::Error
        })
    }
}
