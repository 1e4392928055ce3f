//! What a host reads, as data.
//!
//! In: TOML. Out: [`Profile`], checked. Never: knows a host by name; each of the built-in profiles is a file
//! of `profiles/` and says where its rules come from.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use globset::Glob;
use serde::Deserialize;

use crate::rule::Scope;

/// How one host finds, reads and merges instruction files. `docs/instructions.md` lists all keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name, such as `claude-code`.
    pub name: String,
    /// One sentence for lists.
    pub about: String,
    /// Where the host's behaviour is documented.
    pub origin: Vec<String>,
    /// How far up the host looks.
    #[serde(default)]
    pub(crate) top: Top,
    /// What project files may reach without the user's approval.
    #[serde(default)]
    pub(crate) within: Within,
    /// What stands between two files.
    #[serde(default = "blank_line")]
    pub(crate) join: String,
    pub(crate) cap: Option<Cap>,
    #[serde(default)]
    pub(crate) front: BTreeMap<String, Front>,
    #[serde(default)]
    pub(crate) imports: BTreeMap<String, Imports>,
    /// In the order of the text. Neighbours with the same `at` and `unless` are read folder by folder.
    pub(crate) source: Vec<Source>,
}

/// How far up a host looks for the files of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Top {
    /// To the nearest `.git`; without one the working folder alone.
    #[default]
    Repository,
    Filesystem,
}

/// The folder that project files stay in unless the user approves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Within {
    #[default]
    Repository,
    Cwd,
}

/// How many bytes the texts of some scopes may have together; the file that crosses it is cut.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cap {
    pub(crate) bytes: usize,
    pub(crate) scopes: Vec<Scope>,
}

/// Some files in some places.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    pub(crate) at: At,
    pub(crate) scope: Scope,
    /// Paths below the place; the last steps may be a glob, whose files are read by name.
    pub(crate) files: Vec<String>,
    /// The system that the source is for; none: all.
    pub(crate) os: Option<String>,
    #[serde(default)]
    pub(crate) take: Take,
    #[serde(default)]
    pub(crate) merge: Merge,
    /// A name that `unless` of later sources may ask for.
    pub(crate) group: Option<String>,
    /// Groups of which none may have given a text.
    #[serde(default)]
    pub(crate) unless: Vec<String>,
    /// Which front matter the files may have; none: all of the file is text.
    pub(crate) front: Option<String>,
    pub(crate) imports: Option<String>,
    #[serde(default)]
    pub(crate) comments: Comments,
    /// Characters of one file; more are cut.
    pub(crate) max_chars: Option<usize>,
    /// What stands before the first file of this source, if anything stands before it.
    pub(crate) lead: Option<String>,
    /// What stands before and behind each file; `{path}` is its path.
    pub(crate) frame: Option<[String; 2]>,
}

/// Where a source looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum At {
    System,
    Home,
    /// Every folder from the top down to the working folder.
    Up,
    /// The top of the repository.
    Top,
    /// Every folder below the working folder: a file there is for the paths below its folder.
    Below,
}

/// How many of a source's files count in one folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Take {
    #[default]
    All,
    /// The first one that has a text.
    First,
}

/// How the files of several folders become one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Merge {
    #[default]
    Concatenate,
    /// The nearest folder's alone.
    Nearest,
}

/// What becomes of HTML comments that are blocks of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Comments {
    #[default]
    Keep,
    Strip,
}

/// Which keys of a front matter say when a rule is in force.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Front {
    pub(crate) name: Option<String>,
    pub(crate) paths: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) always: Option<String>,
    /// A key whose value is one of `triggers`.
    pub(crate) trigger: Option<String>,
    #[serde(default)]
    pub(crate) triggers: BTreeMap<String, Mode>,
    /// What holds where no key says anything.
    #[serde(default)]
    pub(crate) without: Mode,
}

impl Front {
    /// The keys that it reads.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        let keys = [
            &self.name,
            &self.paths,
            &self.content,
            &self.description,
            &self.always,
            &self.trigger,
        ];
        keys.into_iter().flatten().map(String::as_str)
    }
}

/// When a rule is in force, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    #[default]
    Always,
    Paths,
    Described,
    Manual,
}

/// How `@path` is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Imports {
    pub(crate) syntax: Syntax,
    /// How many files deep.
    pub(crate) hops: usize,
    pub(crate) put: Put,
    /// What stands before and behind a text that is put in place; `{path}` is the path as it was written.
    pub(crate) frame: Option<[String; 2]>,
}

/// What counts as a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Syntax {
    /// Behind a blank; `\ ` is a space of the path; `~/` and absolute paths too.
    Claude,
    /// Behind a blank; up to the next blank; begins with `.`, `/` or a letter.
    Gemini,
}

/// Where an imported text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Put {
    /// Behind the file that names it, which keeps its words.
    Behind,
    /// In the place of the words.
    Inline,
}

fn blank_line() -> String {
    "\n\n".into()
}

const BUILT_IN: &[&str] = &[
    include_str!("../profiles/agents-md.toml"),
    include_str!("../profiles/agents-md-nearest.toml"),
    include_str!("../profiles/aider.toml"),
    include_str!("../profiles/claude-code.toml"),
    include_str!("../profiles/cline.toml"),
    include_str!("../profiles/codex.toml"),
    include_str!("../profiles/continue.toml"),
    include_str!("../profiles/copilot.toml"),
    include_str!("../profiles/cursor.toml"),
    include_str!("../profiles/gemini-cli.toml"),
    include_str!("../profiles/goose.toml"),
    include_str!("../profiles/opencode.toml"),
    include_str!("../profiles/roo.toml"),
    include_str!("../profiles/windsurf.toml"),
];

impl Profile {
    /// The built-in profiles, by name.
    pub fn built_in() -> &'static [Self] {
        static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| {
            BUILT_IN.iter().filter_map(|text| Profile::parse(text).ok()).collect()
        });
        &ALL
    }

    /// The built-in profile of that name.
    ///
    /// # Errors
    /// A sentence with the names that there are.
    pub fn named(name: &str) -> Result<Self, String> {
        let all = Self::built_in();
        let names = all.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join("`, `");
        let why = format!("there is no profile `{name}`; there are `{names}`");
        all.iter().find(|one| one.name == name).cloned().ok_or(why)
    }

    /// Reads a profile of one's own.
    ///
    /// # Errors
    /// A sentence that says what is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let profile: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        profile.source.iter().try_for_each(|source| profile.check(source))?;
        Ok(profile)
    }

    fn check(&self, source: &Source) -> Result<(), String> {
        let front = source.front.iter().filter(|name| !self.front.contains_key(*name));
        let imports = source.imports.iter().filter(|name| !self.imports.contains_key(*name));
        if let Some(name) = front.chain(imports).next() {
            return Err(format!("the profile has no table `{name}`"));
        }
        for file in &source.files {
            if file.starts_with('/') || file.split('/').any(|step| matches!(step, "" | "." | ".."))
            {
                return Err(format!("`{file}` is no path below a folder"));
            }
            if source.at == At::Below && file.contains(['/', '*']) {
                return Err(format!(
                    "`{file}` is no name; below a folder only names are looked for"
                ));
            }
            Glob::new(file).map_err(|error| format!("`{file}` is no glob: {error}"))?;
        }
        Ok(())
    }
}

/// Which built-in profiles read a key of a front matter.
pub(crate) fn readers_of(key: &str) -> Vec<String> {
    let reads =
        |profile: &Profile| profile.front.values().any(|front| front.keys().any(|own| own == key));
    Profile::built_in().iter().filter(|one| reads(one)).map(|one| one.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_built_in_profiles_are_read() {
        for text in BUILT_IN {
            Profile::parse(text).unwrap();
        }
        assert_eq!(Profile::built_in().len(), BUILT_IN.len());
        let all = Profile::built_in();
        assert!(all.iter().all(|one| !one.origin.is_empty()));
        assert!(all.windows(2).all(|two| two[0].name < two[1].name));
    }

    #[test]
    fn what_is_wrong_with_a_profile_is_said() {
        let with = |source: &str| {
            let head = "name = 'a'\nabout = ''\norigin = []\n[[source]]\nat = 'below'\nscope = 'project'\n";
            Profile::parse(&format!("{head}{source}")).unwrap_err()
        };
        assert!(with("files = ['a/b']").contains("`a/b` is no name"));
        assert!(with("files = ['../b']").contains("no path below"));
        assert!(with("files = ['b']\nfront = 'x'").contains("no table `x`"));
        assert!(with("files = ['b']\ntyop = 1").contains("unknown field `tyop`"));
        assert!(Profile::named("nobody").unwrap_err().contains("`claude-code`"));
    }
}
