//! A finished prompt of another program, and the pack from which ours must make the same bytes.
//!
//! In: one file of `cline-prompts`. Out: the files of a pack with literal components, and a context.
//! Never: holds a text itself.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::pack::Files;

/// One file of `cline-prompts`.
#[derive(Debug, Deserialize)]
pub struct Golden {
    /// Its name.
    pub name: String,
    /// The variant's id.
    pub variant_id: String,
    /// The prompt as it must come out.
    pub expected_prompt: String,
    family: String,
    template: String,
    component_order: Vec<String>,
    sections: BTreeMap<String, String>,
    variant_placeholders: Map<String, Json>,
    standard_placeholders: Map<String, Json>,
    standard_keys: Vec<String>,
    runtime_placeholders: Option<Map<String, Json>>,
}

impl Golden {
    /// Reads one file.
    ///
    /// # Panics
    /// When it has another shape.
    pub fn read(path: &Path) -> Self {
        serde_json::from_str(&crate::conformance::read(path)).expect("a golden prompt")
    }

    /// The pack: sections as literal components, the template, the order, the placeholders.
    ///
    /// # Panics
    /// When a value has no TOML form.
    pub fn files(&self) -> Files {
        let Self { variant_id: id, .. } = self;
        let mut files = vec![
            ("pack.toml".into(), crate::pack::PACK.into()),
            (format!("{id}.toml"), self.variant()),
            // One final line end of a template file is dropped.
            (format!("{id}.hbs"), format!("{}\n", self.template)),
        ];
        for (name, text) in &self.sections {
            let component = toml::to_string(&json!({ "text": text })).expect("a text");
            files.push((format!("components/{name}.toml"), component));
        }
        files
    }

    fn variant(&self) -> String {
        let has_text = |name: &&String| self.sections.contains_key(*name);
        let order: Vec<&String> = self.component_order.iter().filter(has_text).collect();
        let mut placeholders = self.variant_placeholders.clone();
        for name in &self.standard_keys {
            if !has_text(&name) && !self.standard_placeholders.contains_key(name) {
                placeholders.insert(name.clone(), json!(""));
            }
        }
        let variant = json!({
            "family": self.family, "order": order, "tidy": "classic", "missing": "keep",
            "placeholders": placeholders,
        });
        toml::to_string(&variant).expect("a variant")
    }

    /// What the host says.
    pub fn context(&self) -> Json {
        let standard = |name| self.standard_placeholders.get(name).cloned().unwrap_or_default();
        let browser = standard("SUPPORTS_BROWSER") == json!(true);
        json!({
            "cwd": standard("CWD"), "date": standard("CURRENT_DATE"),
            "capabilities": if browser { vec!["browser"] } else { vec![] },
            "placeholders": self.runtime_placeholders.clone().unwrap_or_default(),
        })
    }
}
