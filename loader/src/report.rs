//! What people and tools are shown of each plugin.
//!
//! In: candidates and a judge. Out: plain records. Never: anything of a plugin's texts.

use serde::Serialize;

use crate::digest::Digest;
use crate::discover::{Candidate, Place};
use crate::judge::{Judge, Runs, Verdict};
use crate::lock::Part;
use crate::manifest::ItemKind;
use crate::signature::{KeyId, Signed};

/// One plugin of `plugin list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// Its version; absent when it says none.
    pub version: Option<String>,
    /// Where it was found.
    pub place: Place,
    /// Its folder or library.
    pub path: String,
    /// The ABI it asks for, e.g. `1.0`; absent for a plugin without code or manifest.
    pub abi: Option<String>,
    /// The targets that it has libraries for.
    pub targets: Vec<String>,
    /// `trusted`, `off`, `untrusted`, `unsigned`, `changed`, `missing` or `refused`.
    pub state: &'static str,
    /// What is not as it was trusted.
    pub changed: Vec<Part>,
    /// Where it would run; absent when it would not.
    pub runs: Option<Runs>,
    /// What it says it supplies; absent when it does not say.
    pub items: Option<Vec<ListedItem>>,
    /// The digest of its library, or of its files.
    pub sha256: Option<Digest>,
    /// Whose good signature it has.
    pub signer: Option<KeyId>,
}

/// One item of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedItem {
    /// Its kind.
    pub kind: ItemKind,
    /// Its id.
    pub id: String,
}

impl Listed {
    /// What is shown of a candidate.
    pub fn of(candidate: &Candidate, judge: &Judge<'_>) -> Self {
        let manifest = candidate.manifest.as_ref();
        let verdict = judge.verdict(candidate);
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            id: candidate.name.to_string(),
            version: text(candidate.version()),
            place: candidate.place,
            path: candidate.path.display().to_string(),
            abi: manifest.map(|manifest| manifest.abi.to_string()),
            targets: targets(candidate),
            state: verdict.as_str(),
            changed: match &verdict {
                Verdict::Changed(what) => what.clone(),
                _ => Vec::new(),
            },
            runs: match verdict {
                Verdict::Load(_, runs) => Some(runs),
                _ => None,
            },
            items: items(candidate),
            sha256: candidate.sha256(),
            signer: match judge.signed(candidate) {
                Signed::By(id) => Some(id),
                Signed::Nobody | Signed::Stranger | Signed::Wrong => None,
            },
        }
    }
}

fn targets(candidate: &Candidate) -> Vec<String> {
    let listed = candidate.manifest.iter().flat_map(|manifest| manifest.libraries.keys());
    let listed: Vec<String> = listed.map(ToString::to_string).collect();
    match &candidate.object {
        Some(facts) if listed.is_empty() => vec![facts.target.clone()],
        Some(_) | None => listed,
    }
}

fn items(candidate: &Candidate) -> Option<Vec<ListedItem>> {
    let items = &candidate.manifest.as_ref()?.items;
    let items = items.iter().map(|item| ListedItem { kind: item.kind, id: item.id.to_string() });
    Some(items.collect()).filter(|items: &Vec<_>| !items.is_empty())
}
