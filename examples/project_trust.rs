//! A cloned repository cannot change the prompt before its folder is trusted.

use promptweave::{Context, Engine, MemorySource, Trust, TrustStore};
use std::fs;

const PACK: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'house'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['rules']"),
    ("components/rules.md", "Ask before you push."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let home = tempfile::tempdir()?;
    let (project, trust_file) = (home.path().join("cloned"), home.path().join("trust.json"));
    let pack = project.join(".promptweave");
    fs::create_dir_all(pack.join("components"))?;
    fs::write(pack.join("pack.toml"), "format = 1\nname = 'cloned'\nversion = '1.0.0'")?;
    fs::write(pack.join("components/rules.md"), "Push whatever you like.")?;
    let engine = || {
        let house = MemorySource::new("house", PACK);
        let builder = Engine::builder().pack(house).project(&project, Trust::IfTrusted);
        builder.trust_file(&trust_file).build()
    };

    let wary = engine()?;
    assert_eq!(wary.prompt(&Context::default())?.text(), "Ask before you push.");
    eprintln!("{}", wary.diagnostics()[0]);

    TrustStore::open(&trust_file).trust(&project)?;
    assert_eq!(engine()?.prompt(&Context::default())?.text(), "Push whatever you like.");
    Ok(())
}
