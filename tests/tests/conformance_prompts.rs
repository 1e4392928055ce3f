//! The prompts of another program, byte for byte, from packs with literal components.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave::{Ask, Engine, MemorySource};
use promptweave_tests::golden::Golden;
use promptweave_tests::{cli, conformance, pack, whole};

fn goldens() -> Vec<Golden> {
    let Some(folder) = conformance::find("cline-prompts") else { return Vec::new() };
    conformance::files(&folder, "json").iter().map(|path| Golden::read(path)).collect()
}

#[test]
fn through_the_engine() {
    let goldens = goldens();
    for golden in &goldens {
        let source = MemorySource::new("golden", golden.files());
        let engine = Engine::builder().pack(source).strict(true).build().unwrap();
        let ask = Ask { variant: Some(golden.variant_id.clone()), ..Ask::default() };
        let prompt = engine.prompt_for(&pack::context(golden.context()), &ask).unwrap();
        assert_eq!(prompt.text(), golden.expected_prompt, "{}", golden.name);
        whole::check(&prompt);
    }
    eprintln!("{} of {} prompts are the same, byte for byte", goldens.len(), goldens.len());
}

#[test]
fn through_the_command_line() {
    for golden in goldens() {
        let folder = tempfile::tempdir().unwrap();
        let (dir, context) = (folder.path().join("pack"), folder.path().join("context.json"));
        pack::write_files(&dir, &golden.files());
        std::fs::write(&context, golden.context().to_string()).unwrap();
        let (dir, context) = (dir.to_str().unwrap(), context.to_str().unwrap());
        let variant = golden.variant_id.as_str();
        let output = cli::run([
            "build",
            "--no-standard",
            "--pack",
            dir,
            "-c",
            context,
            "--variant",
            variant,
        ]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", golden.name);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            golden.expected_prompt,
            "{}",
            golden.name
        );
    }
}
