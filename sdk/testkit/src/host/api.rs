//! The functions of the watching host, as the plugin calls them.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use promptweave_abi::{
    ABI_MAJOR, ABI_MINOR, Ctx, GET_JSON, HostApi, Level, ORIGIN_EXTENSION, OriginExtension, Status,
    Str, Value, ValueKind,
};
use promptweave_loader::harness;
use serde_json::Value as Json;

use super::{Function, Live, Time};

/// The table that every plugin is handed.
pub(crate) static HOST: HostApi = HostApi {
    struct_size: size_of::<HostApi>() as u32,
    abi_major: ABI_MAJOR,
    abi_minor: ABI_MINOR,
    host_name: Str::new("promptweave-testkit"),
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

thread_local! {
    static EXTENSIONS: Cell<bool> = const { Cell::new(true) };
}

/// Runs `body` while this host offers no extension on this thread.
pub(crate) fn without_extensions<T>(body: impl FnOnce() -> T) -> T {
    EXTENSIONS.set(false);
    let result = body();
    EXTENSIONS.set(true);
    result
}

fn within(ctx: *mut Ctx, body: impl FnOnce(&Live<'_>) -> Status) -> Status {
    if ctx.is_null() {
        return Status::E_ARG;
    }
    // SAFETY: each context of this host is a `Live` that outlives its call; the contract allows the pointer
    // during the call alone.
    let live = unsafe { &*ctx.cast::<Live<'_>>() };
    catch_unwind(AssertUnwindSafe(|| body(live))).unwrap_or(Status::E_ARG)
}

/// The text that the plugin passed.
fn text<'a>(live: &Live<'_>, passed: Str, what: &str) -> Result<&'a str, Status> {
    if !passed.is_plausible() {
        return Err(live.misused(format!("{what} has a length and no address")));
    }
    // SAFETY: the contract says that a plausible text can be read until the function returns.
    unsafe { passed.as_text() }.map_err(|_| live.misused(format!("{what} is not UTF-8")))
}

unsafe extern "C" fn get(ctx: *mut Ctx, key: Str, flags: u32, out: *mut Value) -> Status {
    within(ctx, |live| {
        if let Some(status) = live.enter(Function::Get) {
            return status;
        }
        let key = match text(live, key, "a key") {
            Ok(key) => key,
            Err(status) => return status,
        };
        let Some(steps) = harness::steps(key) else { return live.refuse(Status::E_ARG) };
        let covers = |dep: &String| {
            harness::steps(dep).is_some_and(|declared| harness::covers(&declared, &steps))
        };
        if !live.item.is_some_and(|item| item.deps.iter().any(covers)) {
            return live.undeclared(key.to_owned());
        }
        show(live, harness::at(&live.given.context, &steps), (flags, out))
    })
}

unsafe extern "C" fn variant(ctx: *mut Ctx, key: Str, flags: u32, out: *mut Value) -> Status {
    within(ctx, |live| {
        if let Some(status) = live.enter(Function::Variant) {
            return status;
        }
        let key = match text(live, key, "a key") {
            Ok(key) => key,
            Err(status) => return status,
        };
        let Some(steps) = harness::steps(key) else { return live.refuse(Status::E_ARG) };
        show(live, harness::at(&live.given.variant, &steps), (flags, out))
    })
}

fn show(live: &Live<'_>, found: Option<&Json>, to: (u32, *mut Value)) -> Status {
    let (flags, out) = to;
    let Some(json) = found else { return Status::NOTHING };
    let (kind, shown) = match json {
        Json::String(text) if flags & GET_JSON == 0 => (ValueKind::STRING, Str::new(text)),
        other => (kind_of(other), live.lend(other.to_string())),
    };
    if out.is_null() || !out.is_aligned() {
        return live.misused("it passed no place for a value".into());
    }
    // SAFETY: not null, aligned, and the contract says that the plugin owns a value there.
    let size = unsafe { (*out).struct_size } as usize;
    if size < std::mem::offset_of!(Value, reserved) {
        return live.misused(format!("it passed a value whose `struct_size` is {size}"));
    }
    // SAFETY: the value reaches behind both fields, as it says itself.
    unsafe {
        (*out).kind = kind;
        (*out).text = shown;
    }
    Status::OK
}

fn kind_of(json: &Json) -> ValueKind {
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
    within(ctx, |live| {
        if let Some(status) = live.enter(Function::Section) {
            return status;
        }
        let id = match text(live, id, "a section's id") {
            Ok(id) => id,
            Err(status) => return status,
        };
        if out.is_null() || !out.is_aligned() {
            return live.misused("it passed no place for a section".into());
        }
        if !live.item.is_some_and(|item| item.sections.iter().any(|known| known == id)) {
            return live.undeclared(format!("sections.{id}"));
        }
        let Some(found) = live.given.sections.get(id) else { return Status::NOTHING };
        // SAFETY: not null, aligned, and the contract says that the plugin owns a text there.
        unsafe { *out = Str::new(found) };
        Status::OK
    })
}

unsafe extern "C" fn write(ctx: *mut Ctx, passed: Str) -> Status {
    within(ctx, |live| {
        let fault = live.enter(Function::Write);
        if !passed.is_plausible() {
            return live.misused("its text has a length and no address".into());
        }
        // SAFETY: as in `text`; the bytes are copied before this returns.
        let bytes = unsafe { passed.as_bytes() };
        let mut record = live.record();
        if fault.is_some() || bytes.len() > live.conduct.limit.saturating_sub(record.out.len()) {
            record.after_limit += 1;
            drop(record);
            return fault.unwrap_or_else(|| live.refuse(Status::E_LIMIT));
        }
        record.out.extend_from_slice(bytes);
        Status::OK
    })
}

unsafe extern "C" fn set_error(ctx: *mut Ctx, _: Status, passed: Str) -> Status {
    within(ctx, |live| {
        if let Some(status) = live.enter(Function::SetError) {
            return status;
        }
        match text(live, passed, "an error's text") {
            Ok(message) => {
                live.record().error = Some(message.to_owned());
                Status::OK
            }
            Err(status) => status,
        }
    })
}

unsafe extern "C" fn cancelled(ctx: *mut Ctx) -> Status {
    within(ctx, |live| match (live.enter(Function::Cancelled), live.conduct.time) {
        (Some(status), _) => status,
        (None, Time::Over) => live.refuse(Status::E_CANCELLED),
        (None, Time::Enough) => Status::OK,
    })
}

unsafe extern "C" fn log(ctx: *mut Ctx, _: Level, passed: Str) {
    within(ctx, |live| text(live, passed, "a log line").map_or_else(|no| no, |_| Status::OK));
}

unsafe extern "C" fn extension(id: Str) -> *const c_void {
    if !id.is_plausible() || !EXTENSIONS.get() {
        return ptr::null();
    }
    // SAFETY: as in `text`.
    match unsafe { id.as_text() } {
        Ok(ORIGIN_EXTENSION) => (&raw const ORIGINS).cast(),
        Ok(_) | Err(_) => ptr::null(),
    }
}

unsafe extern "C" fn report(ctx: *mut Ctx, _: Level, code: Str, message: Str, help: Str) -> Status {
    within(ctx, |live| {
        if let Some(status) = live.enter(Function::Report) {
            return status;
        }
        let texts = [(code, "a code"), (message, "a message"), (help, "a help")];
        let read =
            texts.into_iter().try_for_each(|(passed, what)| text(live, passed, what).map(drop));
        read.map_or_else(|status| status, |()| Status::OK)
    })
}

unsafe extern "C" fn meta(ctx: *mut Ctx, key: Str, json: Str) -> Status {
    within(ctx, |live| {
        if let Some(status) = live.enter(Function::Meta) {
            return status;
        }
        match (text(live, key, "a key"), text(live, json, "a value")) {
            (Ok("cache"), Ok(json)) if serde_json::from_str::<Json>(json).is_ok() => Status::OK,
            (Ok("cache"), Ok(_)) => {
                live.misused("it passed a value to `meta` that is not JSON".into())
            }
            (Ok(_), Ok(_)) => live.refuse(Status::E_UNSUPPORTED),
            (Err(status), _) | (_, Err(status)) => status,
        }
    })
}

unsafe extern "C" fn origin(ctx: *mut Ctx, start: u64, end: u64, path: Str, _: u32) -> Status {
    within(ctx, |live| {
        if start > end || end > live.record().out.len() as u64 {
            return live.misused(format!(
                "it names an origin for bytes {start} to {end}, which it has not written"
            ));
        }
        text(live, path, "a path").map_or_else(|status| status, |_| Status::OK)
    })
}
