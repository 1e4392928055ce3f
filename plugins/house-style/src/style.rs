//! The configuration, and the section that it becomes.
//!
//! In: JSON. Out: text. Never: reads the context, so the text is static.

use promptweave_plugin::{Cache, Component, Cx, Error, Section};
use serde::Deserialize;

/// The configuration is the plugin's state: it is read once, and every call gets a reference to it.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Style {
    tone: Tone,
    rules: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tone {
    #[default]
    Plain,
    Warm,
    Formal,
}

impl Style {
    /// An error here keeps the plugin out, and the user reads it: `serde_json` names the key.
    pub(crate) fn from_config(config: &str) -> Result<Self, Error> {
        let style: Self = serde_json::from_str(config)?;
        if style.rules.iter().any(|rule| rule.trim().is_empty()) {
            return Err("`rules` holds a blank rule".into());
        }
        Ok(style)
    }
}

pub(crate) struct HouseStyle;

impl Component<Style> for HouseStyle {
    const ID: &'static str = "house_style";
    const DESCRIPTION: &'static str = "How the house wants its agent to write";
    // It depends on the configuration alone, so a provider's cache keeps it for all users.
    const CACHE: Cache = Cache::Static;

    fn render(style: &Style, cx: &mut Cx<'_>) -> Result<Section, Error> {
        cx.write("# House style\n\n")?;
        cx.write(match style.tone {
            Tone::Plain => "- Write plainly: short sentences, common words.\n",
            Tone::Warm => "- Write warmly: say what went well before what did not.\n",
            Tone::Formal => "- Write formally: whole sentences, no jokes.\n",
        })?;
        for rule in &style.rules {
            writeln!(cx, "- {rule}")?;
        }
        Ok(Section::Written)
    }
}
