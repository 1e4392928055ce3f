//! The life of a plugin's processes: they are started again, rest, leave, are shared, and are asked once for the same.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use promptweave::{Ask, Build, Code, Engine, Extension, Prompt};
use promptweave_loader::{Given, HostProgram, Limits, Plugins, Quarantine, Sources};
use promptweave_tests::hosted::{self, Home, Manifest, Mode, gone, processes_of};
use promptweave_tests::{native, pack};
use serde_json::json;

const BAD_AND_GOOD: &[(&str, &str)] = &[("generic.toml", "order = [\"bad\", \"good\"]\n")];

fn prompt(engine: &Engine, cwd: &str) -> Prompt {
    engine.prompt(&pack::context(json!({ "cwd": cwd }))).unwrap()
}

fn messages(prompt: &Prompt) -> Vec<&str> {
    prompt.diagnostics().iter().map(|told| &*told.message).collect()
}

/// The engine of a case that has nothing to complain about while it loads.
fn loaded(plugins: &Plugins, files: &[(&str, &str)]) -> Engine {
    let (engine, told) = hosted::engine(plugins, files);
    assert!(told.is_empty(), "{told:#?}");
    engine
}

#[test]
fn an_item_that_ends_its_process_rests_and_then_is_asked_no_more() {
    let Some(library) = native::library("abort") else { return };
    let home = Home::new(&library, Manifest::of("abort"));
    let plugins = home.builder(Mode::Process).load();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    let told = |expected: &str| {
        let prompt = prompt(&engine, "/p");
        assert_eq!(hosted::sections(&prompt), ["good"], "only the item itself is missing");
        let [told] = messages(&prompt)[..] else { panic!("{:?}", messages(&prompt)) };
        assert!(told.contains("`bad`") && told.contains(expected), "{told}");
    };
    told("died of SIGABRT");
    told("died of SIGABRT");
    let rested = Instant::now();
    told("it ended its process twice, and is asked again in");
    // It rests for a second; a slow machine may have used that up.
    sleep(Duration::from_millis(1100).saturating_sub(rested.elapsed()));
    told("died of SIGABRT");
    told("three times within ten minutes, and is asked no more");
    sleep(Duration::from_millis(1100));
    told("three times within ten minutes, and is asked no more");
}

#[test]
fn quarantine_can_be_switched_off() {
    let Some(library) = native::library("abort") else { return };
    let home = Home::new(&library, Manifest::of("abort"));
    let plugins = home.builder(Mode::Process).quarantine(Quarantine::Off).load();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    for _ in 0..6 {
        assert!(messages(&prompt(&engine, "/p"))[0].contains("died of SIGABRT"));
    }
}

#[test]
fn what_a_death_left_open_goes_to_a_fresh_child_once() {
    let Some(library) = native::library("two-aborts") else { return };
    let home = Home::new(&library, Manifest::of("two-aborts"));
    let plugins = home.builder(Mode::Process).load();
    let order = "order = [\"good1\", \"bad1\", \"good2\", \"bad2\", \"good3\"]\n";
    let engine = loaded(&plugins, &[("generic.toml", order)]);
    let first = prompt(&engine, "/p");
    assert_eq!(hosted::sections(&first), ["good1", "good2"]);
    let told = messages(&first);
    assert!(told[0].contains("`bad1`") && told[0].contains("SIGABRT"), "{told:?}");
    assert!(told[1].contains("`bad2`") && told[1].contains("SIGABRT"), "{told:?}");
    assert!(told[2].contains("`good3`") && told[2].contains("ended twice"), "{told:?}");
    prompt(&engine, "/p");
    // Both rest now, or have been asked for the last time: the good ones have a child for themselves.
    assert_eq!(hosted::sections(&prompt(&engine, "/p")), ["good1", "good2", "good3"]);
}

#[test]
fn a_child_that_nobody_asks_leaves_and_that_is_no_death() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let mut most = Limits::most();
    most.idle = Duration::from_millis(60);
    let plugins = home.builder(Mode::Process).most(most).load();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    for build in 0..5 {
        let prompt = prompt(&engine, "/p");
        assert!(messages(&prompt).is_empty(), "build {build}: {:?}", messages(&prompt));
        assert_eq!(prompt.text(), "fine\n\ngood\n");
        gone(&home);
    }
}

/// A child may leave at the very moment in which it is asked.
#[test]
fn a_child_that_leaves_while_it_is_asked_is_no_death() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let mut most = Limits::most();
    most.idle = Duration::from_millis(3);
    let plugins = home.builder(Mode::Process).most(most).load();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    let long = "x".repeat(1 << 20);
    for build in 0..60_u64 {
        let cwd = if build % 3 == 0 { &*long } else { "/p" };
        let prompt = prompt(&engine, cwd);
        assert!(messages(&prompt).is_empty(), "build {build}: {:?}", messages(&prompt));
        sleep(Duration::from_micros(2000 + 40 * build));
    }
}

#[test]
fn a_child_that_was_killed_between_two_builds_is_no_death() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let plugins = home.builder(Mode::Process).load();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    for build in 0..5 {
        for pid in processes_of(&home) {
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        gone(&home);
        let prompt = prompt(&engine, "/p");
        assert!(messages(&prompt).is_empty(), "build {build}: {:?}", messages(&prompt));
    }
}

#[test]
fn a_third_build_waits_for_a_child() {
    let Some(library) = native::library("slow") else { return };
    let home = Home::new(&library, Manifest::of("slow"));
    let plugins = home.builder(Mode::Process).load();
    let engine = loaded(&plugins, &[("generic.toml", "order = [\"slow\"]\n")]);
    std::thread::scope(|scope| {
        for build in 0..4 {
            let (engine, home) = (&engine, &home);
            scope.spawn(move || {
                let cwd = format!("/{build}");
                let prompt = prompt(engine, &cwd);
                assert!(messages(&prompt).is_empty(), "{:?}", messages(&prompt));
                assert_eq!(prompt.text(), cwd);
                assert!(processes_of(home).len() <= 2);
            });
        }
    });
}

/// Each build holds a child for its components while its templates ask for a helper.
#[test]
fn many_builds_at_the_same_time() {
    const THREADS: usize = 8;
    const BUILDS: usize = 40;
    let Some(library) = native::library("helps") else { return };
    for mode in [Mode::Process, Mode::InProc] {
        let home = Home::new(&library, Manifest::of("helps"));
        let plugins = home.builder(mode).load();
        let files = [
            ("generic.toml", "order = [\"said\", \"own\", \"again\"]\n"),
            ("special.toml", "extends = \"generic\"\n[match]\nmatchers = [\"helps/always\"]\n"),
            ("components/said.md", "{{helped 1}}"),
        ];
        let engine = loaded(&plugins, &files);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let engine = &engine;
                scope.spawn(move || {
                    for build in 0..BUILDS {
                        let cwd = format!("/{thread}-{build}");
                        let prompt = prompt(engine, &cwd);
                        assert!(messages(&prompt).is_empty(), "{:?}", messages(&prompt));
                        assert_eq!(prompt.text(), format!("{cwd}\n\n{cwd}\n\n{cwd}"));
                        assert_eq!(prompt.variant().id.as_str(), "special");
                    }
                });
            }
        });
    }
}

#[test]
fn a_batch_that_nobody_reads_leaves_its_child_free() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let plugins = home.builder(Mode::Process).load();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    let context = pack::context(json!({}));
    let variant = &*engine.select(&context, &Ask::default()).unwrap().variant;
    let components = ["bad", "good"].map(Arc::from);
    for _ in 0..5 {
        let build = Build { variant, labels: &[], context: &context, components: &components };
        drop(plugins.loaded()[0].begin(&build).expect("a batch"));
    }
    assert_eq!(prompt(&engine, "/p").text(), "fine\n\ngood\n");
    assert_eq!(processes_of(&home).len(), 1);
}

#[test]
fn the_same_is_asked_once() {
    let Some(library) = native::library("counter") else { return };
    let home = Home::new(&library, Manifest::of("counter"));
    let plugins = home.builder(Mode::Process).load();
    let order = "order = [\"fixed\", \"silent\", \"session\", \"told\"]\n";
    let engine = loaded(&plugins, &[("generic.toml", order)]);
    let told = |cwd: &str| {
        let prompt = prompt(&engine, cwd);
        assert!(prompt.text().contains(cwd));
        prompt.text().lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(told("/a"), "fixed 2, session 1");
    assert_eq!(told("/a"), "fixed 2, session 1");
    assert_eq!(told("/b"), "fixed 2, session 2");
    assert_eq!(told("/a"), "fixed 2, session 2");
    let failing = [("generic.toml", "order = [\"failing\", \"told\"]\n")];
    let engine = loaded(&plugins, &failing);
    assert_eq!(prompt(&engine, "/a").text(), "fixed 2, session 3\n");
    assert_eq!(prompt(&engine, "/a").text(), "fixed 2, session 4\n");
}

#[test]
fn an_init_that_fails_keeps_the_plugin_out() {
    let Some(library) = native::library("init-fails") else { return };
    for mode in [Mode::Process, Mode::InProc] {
        let home = Home::new(&library, Manifest::of("init-fails"));
        let plugins = home.builder(mode).load();
        assert!(plugins.loaded().is_empty());
        let [told] = plugins.diagnostics() else { panic!("{:#?}", plugins.diagnostics()) };
        assert_eq!(told.code, Code::PluginRefused);
        assert!(told.message.contains("its `init` failed: `greeting` is missing"), "{told}");
        std::fs::write(home.beside("config.json"), r#"{"greeting": "hi"}"#).unwrap();
        let given = Given::open(&home.beside("config.json")).unwrap();
        let plugins = home.builder(mode).config("init-fails", given).load();
        assert_eq!(plugins.loaded().len(), 1, "{:#?}", plugins.diagnostics());
    }
}

/// A host as the next test needs it: it asks a plugin that never answers.
#[test]
#[ignore = "a part of the next test"]
fn a_host_that_waits() {
    let folder = std::path::PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let sources = Sources { named: vec![folder.join("plugin")], ..Sources::default() };
    let builder = Plugins::builder().places(sources).data(folder.join("data"));
    let plugins = builder.program(hosted::program()).load();
    prompt(&loaded(&plugins, BAD_AND_GOOD), "/p");
    panic!("its item never ends");
}

const FOLDER: &str = "PROMPTWEAVE_TEST_FOLDER";

#[test]
fn no_process_outlives_a_host_that_is_killed() {
    let Some(library) = native::library("endless-loop") else { return };
    let manifest = Manifest::of("endless-loop");
    let home = Home::new(&library, manifest);
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "life::a_host_that_waits", "--ignored"])
        .env(FOLDER, home.beside(""))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while processes_of(&home).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it never starts");
        sleep(Duration::from_millis(5));
    }
    host.kill().unwrap();
    host.wait().unwrap();
    gone(&home);
}

/// To the system the parent of a process is a thread, and those of a host come and go.
#[test]
fn a_child_outlives_the_thread_that_asked_for_it() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let builder = home.builder(Mode::Process);
    let plugins = std::thread::spawn(|| builder.load()).join().unwrap();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    let before = processes_of(&home);
    sleep(Duration::from_millis(50));
    let prompt = std::thread::scope(|scope| scope.spawn(|| prompt(&engine, "/p")).join().unwrap());
    assert!(messages(&prompt).is_empty(), "{:?}", messages(&prompt));
    assert_eq!(processes_of(&home), before);
}

/// The end of the last clone is the end of the children.
#[test]
fn no_process_outlives_the_plugins() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let plugins = home.builder(Mode::Process).load();
    let engine = loaded(&plugins, BAD_AND_GOOD);
    drop(plugins);
    assert_eq!(prompt(&engine, "/p").text(), "fine\n\ngood\n");
    assert_eq!(processes_of(&home).len(), 1);
    drop(engine);
    gone(&home);
}

#[test]
fn without_a_program_to_run_in_nothing_is_loaded() {
    // Tests run in a folder without the program; only this variable could name it.
    if std::env::var_os("PROMPTWEAVE_PLUGIN_HOST").is_some() {
        return;
    }
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let plugins = Plugins::builder().plugin(home.plugin()).data(home.data()).load();
    assert!(plugins.loaded().is_empty());
    let [told] = plugins.diagnostics() else { panic!("{:#?}", plugins.diagnostics()) };
    assert_eq!(told.code, Code::PluginOff);
    let program = HostProgram { path: home.beside("nowhere"), args: Vec::new() };
    let plugins = home.builder(Mode::Process).program(program).load();
    let [told] = plugins.diagnostics() else { panic!("{:#?}", plugins.diagnostics()) };
    assert_eq!(told.code, Code::PluginRefused);
    assert!(told.message.contains("does not start"), "{told}");
}

#[test]
fn a_folder_whose_name_is_not_utf8_is_told() {
    use std::os::unix::ffi::OsStrExt as _;
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let odd = home.beside("x").with_file_name(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    let plugins = home.builder(Mode::Process).data(&odd).load();
    let [told] = plugins.diagnostics() else { panic!("{:#?}", plugins.diagnostics()) };
    assert!(told.message.contains("UTF-8"), "{told}");
}

/// Every length of a library that is cut off is refused before it could be loaded, also where nothing tells how long it should be.
#[test]
fn a_library_that_was_cut_off_is_never_loaded() {
    let Some(library) = native::library("fine") else { return };
    let whole = std::fs::read(&library).unwrap();
    // Without the table of sections, which lies at the end, and which the system's loader does not need.
    let mut bare = whole.clone();
    bare[40..48].fill(0);
    bare[58..64].fill(0);
    for (bytes, what) in [(&whole, "whole"), (&bare, "without sections")] {
        for cut in (0..64).map(|part| bytes.len() * part / 64) {
            let home = Home::new(&library, Manifest::of("fine"));
            std::fs::write(home.library(), &bytes[..cut]).unwrap();
            home.write(Manifest::of("fine"));
            let refused = home.candidate().is_refused();
            let loads = || !home.builder(Mode::Process).load().loaded().is_empty();
            assert!(refused || loads(), "{what}, {cut} of {} bytes", bytes.len());
        }
    }
}
