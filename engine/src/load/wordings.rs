//! Puts overrides on each other.
//!
//! In: a file's overrides and those that a variant has. Out: each with what it stands on.
//! Never: stacks without end, for what stands on another is printed and dropped by recursion.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::variant::OverrideFile;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{ComponentId, Override, Variant};

/// How many wordings of one component may stand on each other.
const MAX_WORDINGS: usize = 256;

/// Puts a file's overrides on those that a variant has; one on too many others is told and left out.
pub(crate) fn overrides(
    files: &BTreeMap<ComponentId, OverrideFile>,
    variant: &mut Variant,
    told: &mut Vec<Diagnostic>,
) {
    for (id, file) in files {
        let below = variant.overrides.get(id);
        let wordings = std::iter::successors(below, |own| own.base.as_deref()).count();
        if wordings < MAX_WORDINGS {
            let merged = merge_override(file, below);
            variant.overrides.insert(id.clone(), merged);
            continue;
        }
        let message =
            format!("`{id}` is overridden more than {MAX_WORDINGS} times, one on the other");
        told.push(
            Diagnostic::new(Code::InvalidValue, message, file.origin.clone())
                .help("this one is left out; write one override instead of many"),
        );
    }
}

/// A file's override over the base's: keys merge, and a text of its own stands on the base's.
///
/// A digest belongs to the text beside it, so a new text does not inherit one.
fn merge_override(file: &OverrideFile, base: Option<&Override>) -> Override {
    let enabled = file.enabled.unwrap_or_else(|| base.is_none_or(|base| base.enabled));
    let (base_sha256, origin) = (file.base_sha256.clone(), file.origin.clone());
    match (&file.body, base) {
        (None, Some(base)) => Override {
            enabled,
            origin,
            base_sha256: base_sha256.or_else(|| base.base_sha256.clone()),
            ..base.clone()
        },
        (body, base) => {
            let base = base.cloned().map(Arc::new);
            Override { enabled, body: body.clone(), origin, base_sha256, base }
        }
    }
}
