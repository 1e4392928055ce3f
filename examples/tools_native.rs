//! Effective tools, declared in the form that one provider takes.

use promptweave::{Ask, Context, Dialect, Engine, MemorySource};

const PACK: [(&str, &str); 4] = [
    ("pack.toml", "format = 1\nname = 'tools'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['how']\ntools = ['read_file', 'deploy']"),
    (
        "components/how.md",
        "{{#if (tool \"read\")}}\nRead with `{{tool \"read\"}}` before you edit.\n{{/if}}",
    ),
    (
        "tools/read_file.toml",
        "description = 'Reads a file.'\nrole = 'read'\n[[parameter]]\nname = 'path'\nrequired = true",
    ),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("tools", PACK)).build()?;
    let context = Context::from_json(r#"{ "tools": ["read_file"] }"#)?;

    let prompt = engine.prompt(&context)?;
    assert_eq!(prompt.text(), "Read with `read_file` before you edit.");
    let declared = engine.declare_tools(&context, &Ask::default(), Dialect::Anthropic)?;
    let [read] = declared.tools.as_slice() else { return Err("one tool was expected".into()) };
    assert_eq!(read["name"], "read_file");
    assert_eq!(read["input_schema"]["required"][0], "path");
    eprintln!("{read:#}");
    Ok(())
}
