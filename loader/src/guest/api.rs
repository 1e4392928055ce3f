//! The functions that the host offers, as the plugin calls them.
//!
//! Each checks what it is handed, copies what it keeps, and stops every panic.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use promptweave_abi::{
    ABI_MAJOR, ABI_MINOR, Ctx, GET_JSON, HostApi, Level, ORIGIN_EXTENSION, OriginExtension, Status,
    Str, Value, ValueKind,
};
use serde_json::Value as Json;

use super::call::{Found, MAX_MESSAGE_BYTES, State};
use crate::answer::{Origin, Report};

/// The table that every plugin is handed.
pub(super) static HOST: HostApi = HostApi {
    struct_size: size_of::<HostApi>() as u32,
    abi_major: ABI_MAJOR,
    abi_minor: ABI_MINOR,
    host_name: Str::new("promptweave"),
    host_version: Str::new(env!("CARGO_PKG_VERSION")),
    get,
    variant,
    section,
    write,
    set_error,
    cancelled,
    log,
    extension,
    report,
    meta,
    reserved: [0; 4],
};

static ORIGINS: OriginExtension =
    OriginExtension { struct_size: size_of::<OriginExtension>() as u32, reserved: 0, add: origin };

/// Runs the body with the call's state; a null context or a panic is the caller's mistake.
fn within(ctx: *mut Ctx, body: impl FnOnce(&State<'_>) -> Status) -> Status {
    if ctx.is_null() {
        return Status::E_ARG;
    }
    // SAFETY: the pointer is the one that `Instance` made from a `State` which outlives the call; the
    // contract allows it on this thread during this call alone.
    let state = unsafe { &*ctx.cast::<State<'_>>() };
    catch_unwind(AssertUnwindSafe(|| body(state))).unwrap_or(Status::E_ARG)
}

/// The text that the plugin passed; none when it cannot be one.
fn text<'a>(passed: Str) -> Option<&'a str> {
    if !passed.is_plausible() {
        return None;
    }
    // SAFETY: the contract says that a plausible text can be read until the function returns.
    unsafe { passed.as_text() }.ok()
}

/// A message as it is kept: of any bytes, cut at the limit.
fn message(passed: Str) -> String {
    if !passed.is_plausible() {
        return String::new();
    }
    // SAFETY: as in `text`.
    let bytes = unsafe { passed.as_bytes() };
    String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_MESSAGE_BYTES)]).into_owned()
}

unsafe extern "C" fn get(ctx: *mut Ctx, key: Str, flags: u32, out: *mut Value) -> Status {
    within(ctx, |state| {
        let Some(key) = text(key) else { return Status::E_ARG };
        show(state, key, state.facts.get(key), (flags, out))
    })
}

unsafe extern "C" fn variant(ctx: *mut Ctx, key: Str, flags: u32, out: *mut Value) -> Status {
    within(ctx, |state| {
        let Some(key) = text(key) else { return Status::E_ARG };
        show(state, key, state.facts.variant(key), (flags, out))
    })
}

fn show(state: &State<'_>, key: &str, found: Found<'_>, to: (u32, *mut Value)) -> Status {
    let (flags, out) = to;
    let (kind, shown) = match found {
        Found::Absent => return Status::NOTHING,
        Found::Malformed => return Status::E_ARG,
        Found::Undeclared => return state.undeclared(key),
        Found::Ready(kind, text) if flags & GET_JSON != 0 && kind == ValueKind::STRING => {
            (kind, state.lend(Json::from(text).to_string()))
        }
        Found::Ready(kind, text) => return fill(out, kind, Str::new(text)),
        Found::Json(Json::String(text)) if flags & GET_JSON == 0 => {
            return fill(out, ValueKind::STRING, Str::new(text));
        }
        Found::Json(json) => (kind_of(json), state.lend(json.to_string())),
    };
    fill(out, kind, shown)
}

fn fill(out: *mut Value, kind: ValueKind, text: Str) -> Status {
    if out.is_null() || !out.is_aligned() {
        return Status::E_ARG;
    }
    // SAFETY: not null, aligned, and the contract says that the plugin owns a value there.
    let size = unsafe { (*out).struct_size } as usize;
    if size < std::mem::offset_of!(Value, reserved) {
        return Status::E_ARG;
    }
    // SAFETY: the value reaches behind both fields, as it says itself.
    unsafe {
        (*out).kind = kind;
        (*out).text = text;
    }
    Status::OK
}

/// What a value is called.
pub(crate) fn kind_of(json: &Json) -> ValueKind {
    match json {
        Json::Null => ValueKind::NULL,
        Json::Bool(_) => ValueKind::BOOL,
        Json::Number(number) if number.is_f64() => ValueKind::FLOAT,
        Json::Number(_) => ValueKind::INT,
        Json::String(_) => ValueKind::STRING,
        Json::Array(_) => ValueKind::ARRAY,
        Json::Object(_) => ValueKind::OBJECT,
    }
}

unsafe extern "C" fn section(ctx: *mut Ctx, id: Str, out: *mut Str) -> Status {
    within(ctx, |state| {
        let Some(id) = text(id) else { return Status::E_ARG };
        if out.is_null() || !out.is_aligned() {
            return Status::E_ARG;
        }
        if !state.item.is_some_and(|item| item.sections.iter().any(|known| known == id)) {
            return state.undeclared(&format!("sections.{id}"));
        }
        let Some(found) = state.facts.section(id) else { return Status::NOTHING };
        // SAFETY: not null, aligned, and the contract says that the plugin owns a text there.
        unsafe { *out = Str::new(found) };
        Status::OK
    })
}

unsafe extern "C" fn write(ctx: *mut Ctx, passed: Str) -> Status {
    within(ctx, |state| {
        if !passed.is_plausible() {
            return Status::E_ARG;
        }
        // SAFETY: as in `text`; the bytes are copied before this returns.
        state.write(unsafe { passed.as_bytes() })
    })
}

unsafe extern "C" fn set_error(ctx: *mut Ctx, code: Status, passed: Str) -> Status {
    within(ctx, |state| {
        *state.error.borrow_mut() = Some((code, message(passed)));
        Status::OK
    })
}

unsafe extern "C" fn cancelled(ctx: *mut Ctx) -> Status {
    within(ctx, |state| if state.is_late() { Status::E_CANCELLED } else { Status::OK })
}

unsafe extern "C" fn log(ctx: *mut Ctx, level: Level, passed: Str) {
    // Where there is no call: in `init` and `deinit`.
    if ctx.is_null() {
        let _ = catch_unwind(|| crate::log::outside(level.0, &message(passed)));
        return;
    }
    within(ctx, |state| {
        state.facts.log(level.0, &message(passed));
        Status::OK
    });
}

unsafe extern "C" fn extension(id: Str) -> *const c_void {
    match text(id) {
        Some(ORIGIN_EXTENSION) => (&raw const ORIGINS).cast(),
        _ => std::ptr::null(),
    }
}

unsafe extern "C" fn report(
    ctx: *mut Ctx,
    severity: Level,
    code: Str,
    what: Str,
    help: Str,
) -> Status {
    within(ctx, |state| {
        if text(code).is_none() || !what.is_plausible() {
            return Status::E_ARG;
        }
        let (severity, code) = (severity.0, message(code));
        state.report(Report { severity, code, message: message(what), help: message(help) })
    })
}

unsafe extern "C" fn meta(ctx: *mut Ctx, key: Str, json: Str) -> Status {
    within(ctx, |state| {
        let (Some(key), Some(json)) = (text(key), text(json)) else { return Status::E_ARG };
        let Ok(value) = serde_json::from_str::<Json>(json) else { return Status::E_ARG };
        match (key, value) {
            ("cache", Json::String(class)) if class == "volatile" => {
                state.widen("the plugin says so".into())
            }
            ("cache", Json::Object(said)) if said.get("class") == Some(&"volatile".into()) => {
                let reason = said.get("reason").and_then(Json::as_str);
                state.widen(reason.unwrap_or("the plugin says so").into())
            }
            ("cache", _) => Status::E_ARG,
            _ => Status::E_UNSUPPORTED,
        }
    })
}

unsafe extern "C" fn origin(ctx: *mut Ctx, start: u64, end: u64, path: Str, line: u32) -> Status {
    within(ctx, |state| {
        let Some(path) = text(path) else { return Status::E_ARG };
        state.origin(Origin { start, end, path: path.to_owned(), line })
    })
}
