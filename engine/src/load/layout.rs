//! Says what each file of a pack is, by its path.
//!
//! In: a path below the pack's folder. Out: its [`Place`]. Never: looks at the disk.

use crate::diagnostic::did_you_mean;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'p> {
    /// `pack.toml`.
    Pack,
    /// `patch.toml`.
    Patch,
    /// A variant, by the name's stem: `<id>` or `<id>@<n>`.
    Variant(&'p str),
    /// A component in TOML, by its id.
    Component(&'p str),
    /// A component that is a template with front matter, by its id.
    Markdown(&'p str),
    /// A tool, by its id.
    Tool(&'p str),
    /// A partial, by its name.
    Partial(&'p str),
    /// A template that belongs to the file of the same stem, or to the one that names it.
    Template,
    /// No part of the pack, as the format knows.
    Ignored,
    /// No part of the pack, as far as the format knows.
    Unexpected,
}

/// Folders that are no part of the prompt.
const IGNORED_FOLDERS: &[&str] = &["plugins", "skills", "tests", "src", "target"];
const KNOWN_FOLDERS: &[&str] = &["components", "tools", "partials", "plugins", "tests"];
/// Files of the crate that embeds a pack.
const IGNORED_FILES: &[&str] = &["Cargo.toml", "Cargo.lock", "build.rs"];

/// What the file at a path below the pack's folder is; `/` separates folders.
pub(crate) fn place(path: &str) -> Place<'_> {
    let (folder, name) = path.split_once('/').map_or(("", path), |(folder, name)| (folder, name));
    if is_ignored_folder(folder) || name.starts_with('.') {
        return Place::Ignored;
    }
    if name.contains('/') {
        return Place::Unexpected;
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    match (folder, ending) {
        ("", _) if IGNORED_FILES.contains(&name) => Place::Ignored,
        ("", "toml") => match stem {
            "pack" => Place::Pack,
            "patch" => Place::Patch,
            variant => Place::Variant(variant),
        },
        (_, _) if stem == "README" => Place::Ignored,
        ("components", "toml") => Place::Component(stem),
        ("components", "md") => Place::Markdown(stem),
        ("tools", "toml") => Place::Tool(stem),
        ("partials", "hbs") => Place::Partial(stem),
        (_, "hbs") => Place::Template,
        _ if is_shouted(stem) => Place::Ignored,
        _ => Place::Unexpected,
    }
}

/// Whether the file at a path below a pack's folder, `/` between folders, is one that a pack is made of.
///
/// For those who write a [`Source`](crate::Source): what is no part of a pack need not be read.
pub fn is_pack_file(path: &str) -> bool {
    !matches!(place(path), Place::Ignored | Place::Unexpected)
}

/// Whether a folder at the pack's root holds nothing of the prompt.
pub(crate) fn is_ignored_folder(name: &str) -> bool {
    name.starts_with('.') || IGNORED_FOLDERS.contains(&name)
}

/// `README`, `LICENSE-MIT`, `CHANGELOG`: words about the pack.
fn is_shouted(stem: &str) -> bool {
    stem.bytes().any(|byte| byte.is_ascii_uppercase())
        && !stem.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// What to do about an unexpected file or folder.
pub(crate) fn unexpected_help(path: &str) -> String {
    let (folder, inner) = path.split_once('/').unwrap_or((path, ""));
    if KNOWN_FOLDERS.contains(&folder) {
        let deep = if inner.contains('.') { "" } else { " and no folders" };
        return match folder {
            "components" => {
                format!("`components` holds `<id>.toml`, `<id>.hbs` and `<id>.md`{deep}")
            }
            "tools" => format!("`tools` holds `<id>.toml`{deep}"),
            _ => format!("`{folder}` holds `<name>.hbs`{deep}"),
        };
    }
    did_you_mean(folder, KNOWN_FOLDERS.iter().copied(), || {
        "a pack holds `*.toml` and `*.hbs`, and the folders `components`, `tools`, `partials`, \
         `plugins`, `tests`"
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        for (path, expected) in [
            ("pack.toml", Place::Pack),
            ("patch.toml", Place::Patch),
            ("Cargo.toml", Place::Ignored),
            ("claude@2.toml", Place::Variant("claude@2")),
            ("gpt-5.1.toml", Place::Variant("gpt-5.1")),
            ("claude.hbs", Place::Template),
            ("components/rules.toml", Place::Component("rules")),
            ("components/rules.md", Place::Markdown("rules")),
            ("components/rules.hbs", Place::Template),
            ("components/README.md", Place::Ignored),
            ("components/deep/rules.md", Place::Unexpected),
            ("tools/read_file.toml", Place::Tool("read_file")),
            ("partials/intro.hbs", Place::Partial("intro")),
            ("wordings/short.hbs", Place::Template),
            ("component/rules.toml", Place::Unexpected),
            ("README.md", Place::Ignored),
            ("LICENSE-MIT", Place::Ignored),
            (".gitignore", Place::Ignored),
            (".github/x.toml", Place::Ignored),
            ("tests/a/b/c.snap", Place::Ignored),
            ("skills/audit/SKILL.md", Place::Ignored),
            ("notes.txt", Place::Unexpected),
        ] {
            assert_eq!(place(path), expected, "{path}");
        }
        assert_eq!(unexpected_help("component/rules.toml"), "did you mean `components`?");
    }
}
