//! Fixtures of every diagnostic that loading gives, and what merging and stacking come to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use std::borrow::Cow;

use crate::diagnostic::{Code, Severity};
use crate::model::{Body, CaseBody, ComponentId, Variant};
use crate::template::{Called, Found, Missing, Scope, Supply, Template, Val};
use crate::trace::CacheClass;

mod bad_input;
mod diagnostics;
mod merging;
mod stacking;
mod trusting;

/// A layer from memory: lines of `== path` and the text below each.
fn layer(name: &str, text: &str) -> Layer {
    let files = text.split("== ").skip(1).filter_map(|part| part.split_once('\n'));
    let source = MemorySource::new(name, files);
    Layer { source: Arc::new(source), kind: LayerKind::Pack, components: Vec::new() }
}

/// A pack from memory with a `pack.toml` of its own.
fn pack(name: &str, text: &str) -> Layer {
    layer(name, &format!("== pack.toml\nname = \"{name}\"\n{text}"))
}

/// Loads packs that have no mistakes.
fn clean(layers: &[Layer]) -> Registry {
    let (registry, told) = load(layers);
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{told:#?}");
    registry
}

/// What loading tells, one line each.
fn told(layers: &[Layer]) -> Vec<String> {
    load(layers).1.iter().map(ToString::to_string).collect()
}

fn order(variant: &Variant) -> Vec<&str> {
    variant.order.iter().map(|step| step.id.as_str()).collect()
}

/// The base template as it prints itself: each placeholder prints its own tag.
fn template(variant: &Variant) -> String {
    let printed =
        variant.template.as_ref().map(|template| template.evaluate(&Tags, Missing::Error));
    printed.map_or_else(String::new, |printed| printed.unwrap().traced.text)
}

/// Every name there is; its value is its tag.
struct Tags;

impl Scope for Tags {
    fn lookup(&self, path: &[Box<str>]) -> Option<Found<'_>> {
        let tag = serde_json::Value::from(format!("{{{{{}}}}}", path.first()?));
        Some(Found::new(Val::Json(Cow::Owned(tag)), CacheClass::Static))
    }

    fn supply(&self) -> &dyn Supply {
        self
    }
}

impl Supply for Tags {
    fn partial(&self, _: &str) -> Option<&Template> {
        None
    }

    fn has_helper(&self, _: &str) -> bool {
        false
    }

    fn call_helper(
        &self,
        _: &str,
        _: Vec<serde_json::Value>,
        _: serde_json::Map<String, serde_json::Value>,
    ) -> Option<Called<'_>> {
        None
    }
}

fn text(body: &Body) -> &str {
    match body {
        Body::Template(template) => &template.source().text,
        Body::Text(text) => &text.text,
        Body::Value(path) => path,
        Body::From(item) => item,
        Body::Cases(_) => "cases",
    }
}

fn wording(body: Option<&CaseBody>) -> &str {
    match body {
        Some(CaseBody::Template(template)) => &template.source().text,
        Some(CaseBody::Text(text)) => &text.text,
        None => "",
    }
}

#[test]
fn a_plain_pack_loads_alike_from_memory_and_from_a_folder() {
    let files: &[(&str, &str)] = &[
        ("pack.toml", "format = 1\nname = \"demo\"\nversion = \"1.0.0\"\n"),
        ("generic.toml", "order = [\"role\", \"rules\"]\ntools = [\"read_file\"]\n"),
        ("generic.hbs", "{{role}}\n\n{{rules}}\n"),
        ("components/role.toml", "template = '''\nYou are {{NAME}}.'''\n"),
        ("components/rules.md", "+++\npriority = 7\n+++\nBe kind.\n"),
        ("tools/read_file.toml", "description = 'Reads'\n[[parameter]]\nname = 'path'\n"),
        ("partials/intro.hbs", "Hello\n"),
    ];
    let folder = temporary("plain");
    for (path, text) in files {
        write(&folder.join(path), text);
    }
    let memory = MemorySource::new("demo", files.iter().copied());
    let sources: [Arc<dyn Source>; 2] = [Arc::new(memory), Arc::new(DirSource::new(&folder))];
    for source in sources {
        let layer = Layer { source, kind: LayerKind::Pack, components: Vec::new() };
        let registry = clean(&[layer]);
        let variant = registry.current("generic").unwrap();
        assert_eq!(order(variant), ["role", "rules"]);
        assert_eq!(template(variant), "{{role}}\n\n{{rules}}");
        assert_eq!(text(&registry.components["role"].body), "You are {{NAME}}.");
        assert_eq!(text(&registry.components["rules"].body), "Be kind.");
        assert_eq!(registry.components["rules"].priority, 7);
        assert_eq!(&*registry.tools["read_file"].parameters[0].kind, "string");
        assert_eq!(&*registry.partials["intro"].source().text, "Hello");
        let digest = &registry.packs[0].sha256;
        assert!(digest.starts_with("cdd942f495854fb6"), "it depends on nothing but the files");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// A new folder that no other test has.
fn temporary(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("promptweave-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::canonicalize(folder).unwrap()
}

fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
