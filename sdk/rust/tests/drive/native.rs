//! The examples in C and C++, compiled, loaded and called.
//!
//! In: `examples/c-plugin` and `examples/cpp-plugin`. Out: what they write. Never: unloaded.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::PathBuf;

use promptweave_abi::{ENTRY_SYMBOL, Entry, EntryFn, MANIFEST_SYMBOL, Status, ValueKind};

use crate::compilers::{Compiler, Language};
use crate::host::{Loaded, Record, init};

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

const RTLD_NOW: c_int = 2;

struct Library(*mut c_void);

impl Library {
    /// Compiles an example; none without a compiler.
    fn build(language: Language, file: &str) -> Option<Self> {
        let (standard, name) = match language {
            Language::C => ("-std=c99", "weave_c_plugin.so"),
            Language::Cxx => ("-std=c++11", "weave_cpp_plugin.so"),
        };
        let compiler = Compiler::find(language)?;
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let path = library.to_str().unwrap();
        compiler.compile(
            &[standard, "-shared", "-fPIC", "-fvisibility=hidden", "-o", path],
            &fs::read_to_string(example(file)).unwrap(),
        );
        let path = CString::new(path).unwrap();
        // SAFETY: a library of this repository, which does nothing when it is loaded.
        let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
        assert!(!library.is_null());
        Some(Self(library))
    }

    fn symbol(&self, name: &str) -> *mut c_void {
        let name = CString::new(name).unwrap();
        // SAFETY: the library is never unloaded.
        unsafe { dlsym(self.0, name.as_ptr()) }
    }

    fn plugin(&self) -> Loaded {
        let symbol = self.symbol(ENTRY_SYMBOL);
        assert!(!symbol.is_null());
        // SAFETY: the header gives this symbol this type.
        let entry = unsafe { std::mem::transmute::<*mut c_void, EntryFn>(symbol) };
        // SAFETY: the example keeps to the header.
        init(unsafe { Entry::new(entry) }, "{}").unwrap()
    }
}

fn example(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file)
}

fn told(
    plugin: &Loaded,
    item: &str,
    context: &[(&'static str, ValueKind, &str)],
) -> (Status, String) {
    let mut record = Record::default();
    for &(key, kind, text) in context {
        record.context.insert(key, (kind.0, text.to_owned()));
    }
    let status = plugin.call(item, &mut record);
    (status, record.error.map_or(record.text, |(_, message)| message))
}

#[test]
fn the_example_in_c_works() {
    let Some(library) = Library::build(Language::C, "c-plugin/workspace.c") else { return };
    let plugin = library.plugin();
    let cwd = ("cwd", ValueKind::STRING, "/srv/a");
    let branch = ("git.branch", ValueKind::STRING, "main");
    let null = ("git.branch", ValueKind::NULL, "null");
    let wrong = ("git.branch", ValueKind::INT, "1");
    for (context, status, text) in [
        (&[cwd][..], Status::OK, "You work in /srv/a.\n"),
        (&[cwd, branch], Status::OK, "You work in /srv/a, on the git branch main.\n"),
        (&[cwd, null], Status::OK, "You work in /srv/a.\n"),
        (&[branch], Status::NOTHING, ""),
        (&[cwd, wrong], Status::E_CONTEXT, "`cwd` and `git.branch` must be strings"),
    ] {
        assert_eq!(told(&plugin, "workspace", context), (status, text.to_owned()));
    }
    let manifest = library.symbol(MANIFEST_SYMBOL);
    // SAFETY: the symbol is the beginning of a text that ends with a NUL.
    let embedded = unsafe { CStr::from_ptr(manifest.cast()) }.to_str().unwrap();
    let mut file = fs::read_to_string(example("c-plugin/plugin.toml"))
        .unwrap()
        .parse::<toml::Table>()
        .unwrap();
    file.retain(|table, _| table != "run" && table != "capabilities");
    assert_eq!(embedded.parse::<toml::Table>().unwrap(), file);
}

#[test]
fn the_example_in_cxx_works() {
    let Some(library) = Library::build(Language::Cxx, "cpp-plugin/distribution.cpp") else {
        return;
    };
    let plugin = library.plugin();
    let here = ("distribution", ValueKind::STRING, "Acme Linux 3");
    let list = ("distribution", ValueKind::ARRAY, "[]");
    for (context, status, text) in [
        (&[here][..], Status::OK, "The system is Acme Linux 3.\n"),
        (&[], Status::NOTHING, ""),
        (&[list], Status::E_PANIC, "C++ exception"),
    ] {
        assert_eq!(told(&plugin, "distribution", context), (status, text.to_owned()));
    }
    let (status, text) = told(&plugin, "os_release", &[]);
    let known = status == Status::OK && serde_json::from_str::<String>(&text).is_ok();
    assert!(known || status == Status::NOTHING || status == Status::E_PANIC, "{status:?} {text}");
}
