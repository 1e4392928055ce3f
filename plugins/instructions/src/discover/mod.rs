//! Finds and reads the instruction files of a place, as one host does.
//!
//! In: a profile, a place. Out: [`Instructions`]. Never: runs anything, writes anything, or looks at a file that the
//! profile does not name.

mod expand;
mod folders;
mod one;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::files::FileId;
use crate::globs::Globs;
use crate::merge::{self, Instructions};
use crate::place::{Ground, Place};
use crate::profile::{At, Profile, Source};
use crate::report::{Entry, Outcome, Skip};
use crate::rule::Rule;

/// Bytes of one file; a longer one is not read, or cut where the host cuts.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Files of one search, imports included; more are not read.
pub const MAX_FILES: usize = 2000;
/// Bytes of all files together; what comes later is not read.
pub const MAX_ALL_BYTES: usize = 4 * 1024 * 1024;

/// Reads what the host of that profile would read.
///
/// Rules stand in the order of the host, the text holds those that are in force for the touched files. It cannot fail:
/// what cannot be read is told in the report.
pub fn discover(profile: &Profile, place: &Place) -> Instructions {
    let ground = Ground::new(profile, place);
    let mut search = Search::new(profile, place, &ground);
    let sources: Vec<_> = profile.source.iter().enumerate().collect();
    for stage in
        sources.chunk_by(|(_, one), (_, next)| one.at == next.at && one.unless == next.unless)
    {
        for folder in search.folders(stage) {
            for (at, source) in stage {
                search.source(*at, source, &folder);
            }
        }
    }
    let Search { rules, report, .. } = search;
    merge::merge(profile, rules, report)
}

/// What is known while files are read.
struct Search<'s> {
    profile: &'s Profile,
    ground: &'s Ground,
    exclude: Globs,
    named: &'s [String],
    /// The files that are in force, and as what.
    seen: BTreeMap<FileId, String>,
    /// Their texts, for copies.
    texts: BTreeMap<String, String>,
    /// The groups that gave a rule.
    groups: BTreeSet<&'s str>,
    bytes: usize,
    rules: Vec<Rule>,
    report: Vec<Entry>,
    /// The folder that was listed last, and its names.
    listed: (PathBuf, Vec<String>),
}

impl<'s> Search<'s> {
    fn new(profile: &'s Profile, place: &'s Place, ground: &'s Ground) -> Self {
        let exclude: Vec<String> =
            place.exclude.iter().map(|glob| glob.trim_start_matches('/').to_owned()).collect();
        Self {
            profile,
            ground,
            exclude: Globs::new(Path::new("/"), &exclude).0,
            named: &place.named,
            seen: BTreeMap::new(),
            texts: BTreeMap::new(),
            groups: BTreeSet::new(),
            bytes: 0,
            rules: Vec::new(),
            report: Vec::new(),
            listed: (PathBuf::new(), Vec::new()),
        }
    }

    /// The folders in which sources with the same `at` look.
    fn folders(&mut self, stage: &[(usize, &'s Source)]) -> Vec<PathBuf> {
        let ground = self.ground;
        match stage.first().map(|(_, source)| source.at) {
            None => Vec::new(),
            Some(At::System) => vec![ground.system.clone()],
            Some(At::Home) => ground.home.iter().cloned().collect(),
            Some(At::Up) => ground.up.clone(),
            Some(At::Top) => vec![ground.top.clone()],
            Some(At::Below) => self.below(stage),
        }
    }

    /// The folders below the working folder that hold a file of a stage.
    fn below(&mut self, stage: &[(usize, &'s Source)]) -> Vec<PathBuf> {
        let ground = self.ground;
        let names = stage.iter().flat_map(|(_, source)| &source.files).map(String::as_str);
        let folders::Below { mut found, shut, walk } =
            folders::below(&ground.cwd, &ground.top, &names.collect());
        let Some((_, source)) = stage.first() else { return found };
        for (folder, why) in shut {
            if self.is_full(source, &ground.show(&folder)) {
                break;
            }
            self.shut(source, &folder, why);
        }
        if walk == folders::Walk::Stopped {
            let skip = Skip::TooMany(folders::MAX_FOLDERS);
            let path = ground.show(&ground.cwd.join("**"));
            self.tell(source, path, Outcome::Skipped(skip));
        }
        // What is touched counts, though it may be hidden, ignored, or behind a link.
        found.extend(ground.touched.iter().flat_map(|path| folders::between(&ground.cwd, path)));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Reads the files of a source in one folder.
    fn source(&mut self, at: usize, source: &'s Source, folder: &Path) {
        if source.os.as_deref().is_some_and(|os| os != std::env::consts::OS) {
            return;
        }
        let mut taken = None;
        for file in &source.files {
            let folders::Named { files, shut } = folders::files(folder, file);
            for (folder, why) in shut {
                self.shut(source, &folder, why);
            }
            for path in files {
                let spot = one::Spot { at, source, folder, path };
                if self.one(&spot, taken.as_deref()) == one::Got::Text && taken.is_none() {
                    taken = Some(self.ground.show(&spot.path));
                }
            }
        }
    }

    fn tell(&mut self, source: &Source, path: String, outcome: Outcome) -> usize {
        let (scope, notes) = (source.scope, Vec::new());
        self.report.push(Entry { path, scope, via: None, outcome, notes });
        self.report.len() - 1
    }
}
