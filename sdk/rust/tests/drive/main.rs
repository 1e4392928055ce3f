//! Drives plugins that `export_plugin!` made through their whole life, from the host's side.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acme;
#[path = "../../../abi/tests/compilers/mod.rs"]
#[cfg(target_os = "linux")]
mod compilers;
mod host;
#[cfg(target_os = "linux")]
mod native;

use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::Ordering;

use host::{HOST, HOST_WITH_ORIGINS, LOOSE_LINES, Loaded, Record, init, init_with};
use promptweave_abi::{
    CacheClass, Call, HostApi, Kind, PLUGIN_THREAD_SAFE, Plugin, Status, ValueKind,
};

fn loaded() -> Loaded {
    init(acme::plugin(), r#"{"greeting":"You work in"}"#).unwrap()
}

fn with(key: &'static str, kind: ValueKind, text: &str) -> Record {
    let mut record = Record::default();
    record.context.insert(key, (kind.0, text.to_owned()));
    record
}

#[test]
fn the_table_holds_the_facts() {
    let acme = loaded();
    assert_eq!(acme.table.flags, PLUGIN_THREAD_SAFE);
    assert_eq!(acme.table.items_stride as usize, size_of_val(&acme.items[0]));
    let workspace = acme.item("workspace");
    assert_eq!(
        host::list(workspace.deps, workspace.deps_count),
        ["workspace.dir", "workspace.git"]
    );
    assert_eq!(host::list(workspace.sections, workspace.sections_count), ["role"]);
    assert_eq!(workspace.cache_class, CacheClass::VOLATILE);
    // SAFETY: the table's texts are static.
    let data = |id| unsafe { acme.item(id).data.as_text() }.unwrap();
    assert_eq!(data("count"), "acme.calls");
    assert_eq!(data("acme-small"), r#"{"order":["workspace"]}"#);
    assert_eq!(data("open_ticket"), r#"{"description":"Opens"}"#);
    let kinds: Vec<Kind> = acme.items.iter().map(|item| item.kind).collect();
    assert!(kinds.is_sorted_by_key(|kind| *kind != Kind::COMPONENT));
    assert!(acme.items.iter().all(|item| item.reserved == [0; 4] && item.flags == 0));
}

#[test]
fn the_entry_is_careful() {
    let entry = acme::plugin().as_fn();
    // SAFETY: null, or alive during the call.
    let ask = |host: *const HostApi, out: *mut *const Plugin| unsafe { entry(host, out) };
    let (mut one, mut two) = (ptr::null(), ptr::null());
    assert_eq!((ask(&HOST, &mut one), ask(&HOST, &mut two)), (Status::OK, Status::OK));
    assert_eq!(one, two, "the same pointer every time");
    assert_eq!(ask(ptr::null(), &mut one), Status::E_ARG);
    assert_eq!(ask(&HOST, ptr::null_mut()), Status::E_ARG);
    let next_major = HostApi { abi_major: 2, ..HOST };
    assert_eq!(ask(&next_major, &mut one), Status::E_VERSION);
    let short = HostApi { struct_size: HostApi::SIZE_1_0 as u32 - 1, ..HOST };
    assert_eq!(ask(&short, &mut one), Status::E_VERSION);
    let longer = HostApi { struct_size: HostApi::SIZE_1_0 as u32 + 8, abi_minor: 1, ..HOST };
    assert_eq!(ask(&longer, &mut one), Status::OK);
}

#[test]
fn the_symbols_are_there() {
    unsafe extern "C" {
        fn weave_plugin_entry_v1(host: *const HostApi, out: *mut *const Plugin) -> Status;
        static weave_manifest_v1: std::ffi::c_char;
    }
    let mut table = ptr::null();
    // SAFETY: a static host, and room for a pointer.
    assert_eq!(unsafe { weave_plugin_entry_v1(&HOST, &mut table) }, Status::OK);
    assert_eq!(table, ptr::from_ref(host::table(acme::plugin())));
    // SAFETY: the symbol is the beginning of a text that ends with a NUL.
    let manifest = unsafe { CStr::from_ptr(&raw const weave_manifest_v1) }.to_str().unwrap();
    insta::assert_snapshot!(manifest);
    let parsed: toml::Table = manifest.parse().unwrap();
    assert_eq!(parsed["plugin"]["description"].as_str(), Some("For \\tests"));
    assert_eq!(parsed["component"][0]["reason"].as_str(), Some("folders\tmove"));
}

#[test]
fn components_write_sections() {
    let acme = loaded();
    let mut record = with("workspace.dir", ValueKind::STRING, "/srv/ü");
    record.context.insert("workspace.git", (ValueKind::BOOL.0, "true".to_owned()));
    assert_eq!(acme.call("workspace", &mut record), Status::OK);
    assert_eq!(record.text, "You work in /srv/ü, a git repository");
    assert_eq!(acme.outcome("workspace"), (Status::NOTHING, String::new()));
}

#[test]
fn the_other_kinds_answer() {
    let acme = loaded();
    let mut git = with("workspace.git", ValueKind::BOOL, "true");
    assert_eq!(acme.call("is-git", &mut git), Status::OK);
    assert_eq!(acme.call("is-git", &mut Record::default()), Status::NOTHING);
    let mut shout = Record { args: r#"["hey"]"#.to_owned(), ..Record::default() };
    assert_eq!((acme.call("shout", &mut shout), &*shout.text), (Status::OK, "HEY"));
    assert_eq!(acme.outcome("count"), (Status::OK, "0".to_owned()));
    let linked = init(acme::linked::plugin(), "{}").unwrap();
    assert_eq!(linked.outcome("line"), (Status::OK, "One line.".to_owned()));
}

#[test]
fn values_keep_what_they_are() {
    let cases = [
        ("text", ValueKind::STRING, "ab", r#"Some("ab") Some("ab")"#),
        ("flag", ValueKind::BOOL, "false", r#"Some(false) Some("false")"#),
        ("count", ValueKind::INT, "-7", r#"Some(-7) Some(Number("-7"))"#),
        ("list", ValueKind::ARRAY, "[1]", r#"Some(Array("[1]"))"#),
        ("none", ValueKind::NULL, "null", r#"Some(Null) None Some("null")"#),
    ];
    for (key, kind, text, shown) in cases {
        let mut record = with(key, kind, text);
        record.args = key.to_owned();
        assert_eq!((loaded().call("reads", &mut record), &*record.text), (Status::OK, shown));
    }
}

#[test]
fn refusals_are_passed_on() {
    let cases = [
        (
            "wrong",
            "text",
            ValueKind::STRING,
            "x",
            Status::E_CONTEXT,
            "the key `text` holds a string, not a bool",
        ),
        (
            "count",
            "count",
            ValueKind::FLOAT,
            "1.5",
            Status::E_CONTEXT,
            "the key `count` is no 64-bit integer",
        ),
        (
            "newer",
            "newer",
            ValueKind(9),
            "?",
            Status::E_UNSUPPORTED,
            "the key `newer`: the host sent a value of the unknown kind 9",
        ),
        (
            "undeclared",
            "text",
            ValueKind::NULL,
            "",
            Status::E_UNDECLARED,
            "the key `elsewhere`: the item does not declare it",
        ),
    ];
    for (args, key, kind, text, status, message) in cases {
        let mut record = with(key, kind, text);
        record.args = args.to_owned();
        assert_eq!(loaded().call("reads", &mut record), status);
        assert_eq!(record.error, Some((status, message.to_owned())));
    }
    let mut full = with("workspace.dir", ValueKind::STRING, "/srv");
    full.limit = Some(12);
    assert_eq!(loaded().call("workspace", &mut full), Status::E_LIMIT);
    assert_eq!(full.error.unwrap().1, "the output: the output is at its limit");
}

#[test]
fn the_rest_of_the_host_is_reached() {
    let mut record = Record { late: true, ..Record::default() };
    assert_eq!(loaded().call("tells", &mut record), Status::OK);
    insta::assert_snapshot!(format!("{}\n{}", record.notes.join("\n"), record.text));
}

#[test]
fn origins_are_told_where_the_host_takes_them() {
    for (host, notes) in [
        (&HOST, &[][..]),
        (&HOST_WITH_ORIGINS, &["7..17 rules/brief.md:1", "17..26 rules/kind.md:7"]),
    ] {
        let acme = init_with(acme::plugin(), r#"{"greeting":""}"#, host).unwrap();
        let mut record = Record::default();
        assert_eq!(acme.call("merges", &mut record), Status::OK);
        assert_eq!(record.text, "Rules:\nBe brief.\nBe kind.\n");
        assert_eq!(record.notes, notes);
    }
}

#[test]
fn failures_and_panics_have_their_text() {
    let acme = loaded();
    let shouted = |args: &str| {
        let mut record = Record { args: args.to_owned(), ..Record::default() };
        (acme.call("shout", &mut record), record.error.unwrap().1)
    };
    let cases = [
        (acme.outcome("fails"), Status::E_PLUGIN, "invalid digit found in string"),
        (acme.outcome("claims_success"), Status::E_PLUGIN, "it says `Ok`, and is an error"),
        (acme.outcome("panics_with_text"), Status::E_PANIC, "panic: panics_with_text went wrong"),
        (acme.outcome("panics_twice"), Status::E_PANIC, "panic"),
        (acme.outcome("panics"), Status::E_PANIC, "panic: static text"),
        (shouted("[\"\"]"), Status::E_PANIC, "panic: nothing to shout"),
        (
            shouted("[]"),
            Status::E_PLUGIN,
            "invalid length 0, expected a tuple of size 1 at line 1 column 2",
        ),
    ];
    for (outcome, status, message) in cases {
        assert_eq!(outcome, (status, message.to_owned()));
    }
    for _ in 0..1000 {
        acme.outcome("workspace");
    }
    assert_eq!(acme.outcome("count"), (Status::E_PANIC, "panic: too many".to_owned()));
}

#[test]
fn a_bad_beginning_and_a_bad_end_stay_inside() {
    let refused = |config| init(acme::plugin(), config).err().unwrap();
    assert_eq!(refused("panic"), (Status::E_PANIC, "panic: no such luck".to_owned()));
    assert_eq!(refused("fail"), (Status::E_CONTEXT, "`greeting` is missing".to_owned()));
    assert_eq!(refused("{}"), (Status::E_PLUGIN, "`greeting` is no string".to_owned()));
    let before = acme::ENDED.load(Ordering::SeqCst);
    drop(init(acme::plugin(), "end badly").unwrap());
    assert!(acme::ENDED.load(Ordering::SeqCst) > before);
    let lines = LOOSE_LINES.lock().unwrap();
    assert!(lines.iter().any(|line| line.contains("it ended badly")), "{lines:?}");
}

#[test]
fn a_host_that_breaks_the_rules_is_refused() {
    let workspace = loaded().item("workspace").call.unwrap();
    // SAFETY: null, or alive during the call; each is to be refused before anything else is read.
    let refused = |call: *const Call| unsafe { workspace(ptr::null_mut(), call) };
    assert_eq!(refused(ptr::null()), Status::E_ARG);
    let mut record = Record::default();
    let call = host::call(&HOST, &mut record, promptweave_abi::Str::new("workspace"), "");
    assert_eq!(refused(&call), Status::E_ARG);
    assert_eq!(record.error.unwrap().1, "the call came without the state of `init`");
    assert_eq!(refused(&Call { struct_size: 16, ..call }), Status::E_ARG);
    assert_eq!(refused(&Call { host: ptr::null(), ..call }), Status::E_ARG);
    let broken = Call {
        args: promptweave_abi::Str { ptr: b"\xff".as_ptr(), len: 1 },
        ctx: ptr::null_mut(),
        ..call
    };
    assert_eq!(refused(&broken), Status::E_ARG);
    let lines = LOOSE_LINES.lock().unwrap();
    assert!(
        lines.iter().any(|line| line.contains("the arguments: the host sent text")),
        "{lines:?}"
    );
}

#[test]
fn calls_overlap_on_one_state() {
    let acme = loaded();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| drop(acme.outcome("workspace"))));
        }
    });
    assert_eq!(acme.outcome("count"), (Status::OK, "400".to_owned()));
}
