//! A host in small: its table, and the record of one call.
//!
//! In: a plugin's entry and what the context shall hold. Out: what a call came to. Never: forgiving; an
//! undeclared key, a full output and a passed deadline are answered as the header says.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use promptweave_abi::*;

/// One call, from both sides.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) context: BTreeMap<&'static str, (u32, String)>,
    pub(crate) declared: Vec<String>,
    pub(crate) limit: Option<usize>,
    pub(crate) late: bool,
    pub(crate) args: String,
    pub(crate) text: String,
    pub(crate) error: Option<(Status, String)>,
    pub(crate) notes: Vec<String>,
}

/// Lines that came without a context.
pub(crate) static LOOSE_LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub(crate) static HOST: HostApi = host(no_extension);
pub(crate) static HOST_WITH_ORIGINS: HostApi = host(origins);

const fn host(extension: unsafe extern "C" fn(Str) -> *const c_void) -> HostApi {
    HostApi {
        struct_size: size_of::<HostApi>() as u32,
        abi_major: ABI_MAJOR,
        abi_minor: ABI_MINOR,
        host_name: Str::new("drive"),
        host_version: Str::new("1"),
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
    }
}

fn record<'a>(ctx: *mut Ctx) -> &'a mut Record {
    // SAFETY: each context of this host is a record that nobody else touches during the call.
    unsafe { &mut *ctx.cast::<Record>() }
}

fn text<'a>(raw: Str) -> &'a str {
    // SAFETY: the plugin's text lives during the call.
    unsafe { raw.as_text() }.unwrap()
}

unsafe extern "C" fn get(ctx: *mut Ctx, key: Str, flags: u32, out: *mut Value) -> Status {
    let (record, key) = (record(ctx), text(key));
    if !record.declared.iter().any(|dep| dep == key) {
        return Status::E_UNDECLARED;
    }
    let Some((kind, found)) = record.context.get(key) else { return Status::NOTHING };
    record.notes.push(format!("get {key} {flags}"));
    fill(out, *kind, found)
}

unsafe extern "C" fn variant(_: *mut Ctx, key: Str, _: u32, out: *mut Value) -> Status {
    match text(key) {
        "id" => fill(out, ValueKind::STRING.0, "generic"),
        "version" => fill(out, ValueKind::INT.0, "3"),
        _ => Status::NOTHING,
    }
}

fn fill(out: *mut Value, kind: u32, found: &str) -> Status {
    // SAFETY: the plugin's value; it says its own size.
    let out = unsafe { &mut *out };
    assert_eq!(out.struct_size as usize, size_of::<Value>());
    (out.kind, out.text) = (ValueKind(kind), Str::new(found));
    Status::OK
}

unsafe extern "C" fn section(_: *mut Ctx, id: Str, out: *mut Str) -> Status {
    match text(id) {
        "role" => {
            // SAFETY: the plugin's own place for a text.
            unsafe { out.write(Str::new("You are terse.")) };
            Status::OK
        }
        "silent" => Status::NOTHING,
        _ => Status::E_UNDECLARED,
    }
}

unsafe extern "C" fn write(ctx: *mut Ctx, more: Str) -> Status {
    let (record, more) = (record(ctx), text(more));
    if record.limit.is_some_and(|limit| record.text.len() + more.len() > limit) {
        return Status::E_LIMIT;
    }
    record.text.push_str(more);
    Status::OK
}

unsafe extern "C" fn set_error(ctx: *mut Ctx, code: Status, message: Str) -> Status {
    record(ctx).error = Some((code, text(message).to_owned()));
    Status::OK
}

unsafe extern "C" fn cancelled(ctx: *mut Ctx) -> Status {
    if record(ctx).late { Status::E_CANCELLED } else { Status::OK }
}

unsafe extern "C" fn log(ctx: *mut Ctx, level: Level, message: Str) {
    let line = format!("log {} {}", level.0, text(message));
    if ctx.is_null() {
        LOOSE_LINES.lock().unwrap().push(line);
    } else {
        record(ctx).notes.push(line);
    }
}

unsafe extern "C" fn no_extension(_: Str) -> *const c_void {
    ptr::null()
}

unsafe extern "C" fn origins(id: Str) -> *const c_void {
    static ORIGINS: OriginExtension =
        OriginExtension { struct_size: size_of::<OriginExtension>() as u32, reserved: 0, add };
    if text(id) == ORIGIN_EXTENSION { (&raw const ORIGINS).cast() } else { ptr::null() }
}

unsafe extern "C" fn add(ctx: *mut Ctx, start: u64, end: u64, path: Str, line: u32) -> Status {
    let record = record(ctx);
    if start > end || end > record.text.len() as u64 {
        return Status::E_ARG;
    }
    record.notes.push(format!("{start}..{end} {}:{line}", text(path)));
    Status::OK
}

unsafe extern "C" fn report(
    ctx: *mut Ctx,
    level: Level,
    code: Str,
    message: Str,
    help: Str,
) -> Status {
    let help = if help.is_absent() { "-" } else { text(help) };
    let line = format!("report {} {} {} {help}", level.0, text(code), text(message));
    record(ctx).notes.push(line);
    Status::OK
}

unsafe extern "C" fn meta(ctx: *mut Ctx, key: Str, json: Str) -> Status {
    if text(key) != "title" {
        return Status::E_UNSUPPORTED;
    }
    record(ctx).notes.push(format!("meta title {}", text(json)));
    Status::OK
}

/// A plugin with one state.
pub(crate) struct Loaded {
    pub(crate) table: &'static Plugin,
    pub(crate) items: &'static [Item],
    host: &'static HostApi,
    state: *mut c_void,
}

// SAFETY: the plugins of these tests say that they are thread safe.
unsafe impl Sync for Loaded {}

pub(crate) fn table(entry: Entry) -> &'static Plugin {
    let mut table = ptr::null();
    // SAFETY: a sound entry, a static host, and room for a pointer.
    assert_eq!(unsafe { entry.as_fn()(&HOST, &mut table) }, Status::OK);
    // SAFETY: handed out by a sound entry.
    unsafe { &*table }
}

/// Calls `init` with a configuration.
pub(crate) fn init(entry: Entry, config: &str) -> Result<Loaded, (Status, String)> {
    init_with(entry, config, &HOST)
}

pub(crate) fn init_with(
    entry: Entry,
    config: &str,
    host: &'static HostApi,
) -> Result<Loaded, (Status, String)> {
    let table = table(entry);
    let (mut record, mut state) = (Record::default(), ptr::null_mut());
    let call = call(host, &mut record, Str::ABSENT, config);
    // SAFETY: the call and the place for the state live long enough.
    let status = table.init.map_or(Status::OK, |init| unsafe { init(&call, &mut state) });
    if status != Status::OK {
        let (code, message) = record.error.unwrap();
        assert_eq!(code, status);
        return Err((code, message));
    }
    // SAFETY: the table of a sound entry.
    let items = unsafe { std::slice::from_raw_parts(table.items, table.items_count as usize) };
    Ok(Loaded { table, items, host, state })
}

pub(crate) fn call(host: &'static HostApi, record: &mut Record, item_id: Str, args: &str) -> Call {
    Call {
        struct_size: size_of::<Call>() as u32,
        flags: 0,
        host,
        ctx: ptr::from_mut(record).cast(),
        item_id,
        variant_id: Str::new("generic"),
        args: Str::new(args),
        context: Str::ABSENT,
        budget_us: 1500,
        reserved: [0; 4],
    }
}

impl Loaded {
    pub(crate) fn item(&self, id: &str) -> &'static Item {
        self.items.iter().find(|item| text(item.id) == id).unwrap()
    }

    /// Calls an item, and returns its status; the rest is in the record.
    pub(crate) fn call(&self, id: &str, record: &mut Record) -> Status {
        let item = self.item(id);
        record.declared = list(item.deps, item.deps_count);
        let args = record.args.clone();
        let call = call(self.host, record, item.id, &args);
        // SAFETY: the state is this plugin's, and the call lives until it returns.
        unsafe { item.call.unwrap()(self.state, &call) }
    }

    /// As `call`, for what needs nothing of a record.
    pub(crate) fn outcome(&self, id: &str) -> (Status, String) {
        let mut record = Record::default();
        let status = self.call(id, &mut record);
        match record.error {
            Some((code, message)) => {
                assert_eq!(code, status);
                (status, message)
            }
            None => (status, record.text),
        }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Some(deinit) = self.table.deinit {
            // SAFETY: made by `init`, and no call is running.
            unsafe { deinit(self.state) };
        }
    }
}

pub(crate) fn list(first: *const Str, count: u32) -> Vec<String> {
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: a list of a sound table.
    let list = unsafe { std::slice::from_raw_parts(first, count as usize) };
    list.iter().map(|&it| text(it).to_owned()).collect()
}
