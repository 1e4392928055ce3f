//! What a plugin needs from the system: bounds that are granted as a whole, or not at all.
//!
//! In: a table. Out: [`Capabilities`]. Never: grants anything.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::key;
use crate::reader::{Table, Value};

const KEYS: &[&str] = &["context", "read", "write", "network", "processes"];

/// What a plugin may do beyond computing.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Capabilities {
    /// Bounds for what its items read of the context; none: each item's `deps` alone bound it.
    pub context: Option<Vec<Arc<str>>>,
    /// Folders that the sandbox opens for reading.
    pub read: Vec<Folder>,
    /// Folders that the sandbox opens for reading and writing.
    pub write: Vec<Folder>,
    /// Sockets.
    pub network: Permission,
    /// Starting other programs.
    pub processes: Permission,
}

impl Capabilities {
    /// Whether the bounds let an item read a path of the context.
    pub fn may_read(&self, path: &str) -> bool {
        let Some(bounds) = &self.context else { return true };
        let Some(path) = key::steps(path) else { return false };
        let mut bounds = bounds.iter().filter_map(|bound| key::steps(bound));
        bounds.any(|bound| key::covers(&bound, &path))
    }
}

/// Whether something is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// It is not.
    #[default]
    Denied,
    /// It is.
    Granted,
}

/// A folder as a manifest names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// The word `workspace`: the folders that the host names.
    Workspace,
    /// `~/rest`: below the user's home.
    Home(Arc<str>),
    /// An absolute path.
    Absolute(Arc<str>),
}

impl Folder {
    fn parse(text: &str) -> Option<Self> {
        let goes_up = text.split(['/', '\\']).any(|step| step == "..");
        match text {
            "workspace" => Some(Self::Workspace),
            _ if goes_up || text.contains('\0') => None,
            _ => match text.strip_prefix("~/") {
                Some(rest) if !rest.is_empty() => Some(Self::Home(rest.into())),
                Some(_) => None,
                None if std::path::Path::new(text).is_absolute() => {
                    Some(Self::Absolute(text.into()))
                }
                None => None,
            },
        }
    }
}

/// As it was written.
impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace => f.write_str("workspace"),
            Self::Home(rest) => write!(f, "~/{rest}"),
            Self::Absolute(path) => f.write_str(path),
        }
    }
}

impl Serialize for Folder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the table; `what` names it.
pub(crate) fn read(table: Table<'_>, what: &str) -> Capabilities {
    let table = table.knows(what, KEYS);
    Capabilities {
        context: table.get("context").and_then(|value| paths(&value)),
        read: folders(table, "read"),
        write: folders(table, "write"),
        network: permission(table, "network"),
        processes: permission(table, "processes"),
    }
}

/// A list of key paths; what is none is told and left out.
pub(super) fn paths(list: &Value<'_>) -> Option<Vec<Arc<str>>> {
    let path = |value: Value<'_>| {
        let path = value.str()?;
        if key::steps(path).is_some() {
            return Some(path.into());
        }
        let help = "write it as `model.name`, `tools[0].name` or `/model/name`";
        value.refuse(format!("`{path}` is no path into the context"), help);
        None
    };
    Some(list.list()?.into_iter().filter_map(path).collect())
}

fn folders(table: Table<'_>, name: &str) -> Vec<Folder> {
    let folder = |value: Value<'_>| {
        let text = value.str()?;
        let folder = Folder::parse(text);
        if folder.is_none() {
            let help = "write `workspace`, `~/path` or an absolute path, without `..`";
            value.refuse(format!("`{text}` is no folder that can be granted"), help);
        }
        folder
    };
    let list = table.get(name).and_then(|value| value.list()).unwrap_or_default();
    list.into_iter().filter_map(folder).collect()
}

fn permission(table: Table<'_>, name: &str) -> Permission {
    match table.get(name).and_then(|value| value.boolean()) {
        Some(true) => Permission::Granted,
        Some(false) | None => Permission::Denied,
    }
}
