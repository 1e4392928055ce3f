//! Plugins from files, each in a process of its own: whatever one does, it costs its own sections alone.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use promptweave::{Context, Engine, MemorySource};
use promptweave_loader::{HostProgram, Plugins};

const PACK: [(&str, &str); 2] = [
    ("pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['house_style']"),
];

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    // Our own program is the process of a plugin, too; others ship `promptweave-plugin-host`.
    if env::args().nth(1).is_some_and(|verb| verb == "plugin-host") {
        return Ok(promptweave_loader::serve());
    }
    let program = HostProgram { path: env::current_exe()?, args: vec!["plugin-host".into()] };

    // A folder with a `plugin.toml` and a library. To name it is to let it run in a child.
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/house-style/plugin.toml");
    let folder = promptweave_tests::plugin::sealed("promptweave-house-style", &manifest);
    let data = tempfile::tempdir()?; // else the user's data folder, with what the user trusts
    let builder = Plugins::builder().plugin(folder.path()).data(data.path()).program(program);
    let plugins = builder.load();
    for told in plugins.diagnostics() {
        eprintln!("{}: {}", told.code.as_str(), told.message);
    }

    let builder = Engine::builder().pack(MemorySource::new("acme", PACK));
    let prompt = plugins.add_to(builder).build()?.prompt(&Context::default())?;
    assert!(prompt.text().starts_with("# House style\n"));
    let plugin = &plugins.loaded()[0];
    eprintln!("{}, sandbox `{}`", plugin.table().name, plugin.sandbox().as_str());
    Ok(ExitCode::SUCCESS)
}
