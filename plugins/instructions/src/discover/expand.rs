//! Follows the imports of a file.
//!
//! In: a rule whose text is known. Out: the rule, and the texts that it imports: behind it, or in their places. Never:
//! follows an import in code, a circle, or more steps than the host does.

use std::path::{Path, PathBuf};

use super::Search;
use super::one::{Loaded, Refused, Spot};
use crate::files::{Bounds, FileId};
use crate::imports::{self, Named, looks_like_a_path};
use crate::markdown::Marks;
use crate::place::plain;
use crate::profile::{Imports, Put};
use crate::report::{Entry, Outcome, Skip};
use crate::rule::{Piece, Rule};
use crate::text::{Kept, Lines};

/// The files on the way from a rule to an import, and the way's facts.
struct Way<'w, 's> {
    spot: &'w Spot<'w, 's>,
    imports: &'s Imports,
    bounds: Bounds,
    files: Vec<FileId>,
}

/// A file whose imports are looked for.
struct Page<'p> {
    folder: PathBuf,
    shown: String,
    kept: &'p Kept<'p>,
    marks: &'p Marks,
}

impl<'s> Search<'s> {
    /// Adds a rule, and what it imports.
    pub(super) fn expand(
        &mut self,
        spot: &Spot<'_, 's>,
        mut rule: Rule,
        page: (&Kept<'_>, &Marks),
        id: FileId,
    ) {
        let (kept, marks) = page;
        let profile = self.profile;
        let Some(imports) = spot.source.imports.as_ref().and_then(|name| profile.imports.get(name))
        else {
            rule.pieces = kept.pieces(&rule.path);
            return self.push(spot, rule);
        };
        let bounds = self.import_bounds(spot);
        let mut way = Way { spot, imports, bounds, files: vec![id] };
        let folder = spot.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let page = Page { folder, shown: rule.path.clone(), kept, marks };
        match imports.put {
            Put::Inline => {
                rule.pieces = self.inline(&mut way, &page);
                self.push(spot, rule);
            }
            Put::Behind => {
                rule.pieces = kept.pieces(&rule.path);
                self.push(spot, rule.clone());
                self.behind(&mut way, &page, &rule);
            }
        }
    }

    /// What imports may reach: for a project's files not the folder that they lie in, if it is above.
    fn import_bounds(&self, spot: &Spot<'_, 's>) -> Bounds {
        self.bounds(spot.source.scope, None)
    }

    /// Adds what a page imports as rules of their own, each followed by what it imports itself.
    fn behind(&mut self, way: &mut Way<'_, 's>, page: &Page<'_>, rule: &Rule) {
        for named in named(page, way.imports) {
            let Some((loaded, entry)) = self.import(way, page, &named) else { continue };
            let path = self.report[entry].path.clone();
            let marks = Marks::of(&loaded.text);
            let kept = Kept::from(&loaded.text, 0);
            let file = loaded.opened.real.clone();
            let pieces = kept.pieces(&path);
            let own = Rule { path: path.clone(), file, entry, pieces, ..rule.clone() };
            self.push(way.spot, own);
            way.files.push(loaded.opened.id.clone());
            let page = Page {
                folder: self.folder_of(page, &named),
                shown: path,
                kept: &kept,
                marks: &marks,
            };
            self.behind(way, &page, rule);
            way.files.pop();
        }
    }

    /// The text of a page with what it imports in the places that name it.
    fn inline(&mut self, way: &mut Way<'_, 's>, page: &Page<'_>) -> Vec<Piece> {
        let text = page.kept.text;
        let (mut pieces, mut lines) = (Vec::new(), Lines::of(text));
        let mut all = named(page, way.imports).into_iter().peekable();
        for range in &page.kept.ranges {
            let mut at = range.start;
            while let Some(named) = all.next_if(|named| named.range.end <= range.end) {
                let Some((loaded, entry)) = self.import(way, page, &named) else { continue };
                let front = at..named.range.start;
                if !front.is_empty() {
                    let from = Some((page.shown.clone(), lines.at(front.start)));
                    pieces.push(Piece { text: text[front].into(), from });
                }
                at = named.range.end;
                self.framed(way, (page, &named), (&loaded, entry), &mut pieces);
            }
            if at < range.end {
                let from = Some((page.shown.clone(), lines.at(at)));
                pieces.push(Piece { text: text[at..range.end].into(), from });
            }
        }
        pieces
    }

    fn framed(
        &mut self,
        way: &mut Way<'_, 's>,
        (page, named): (&Page<'_>, &Named),
        (loaded, entry): (&Loaded, usize),
        pieces: &mut Vec<Piece>,
    ) {
        let frame = way.imports.frame.as_ref();
        let side = |side: &String| Piece { text: side.replace("{path}", &named.path), from: None };
        pieces.extend(frame.map(|[front, _]| side(front)));
        let marks = Marks::of(&loaded.text);
        let kept = Kept::from(&loaded.text, 0);
        let shown = self.report[entry].path.clone();
        let folder = self.folder_of(page, named);
        way.files.push(loaded.opened.id.clone());
        let inner = self.inline(way, &Page { folder, shown, kept: &kept, marks: &marks });
        way.files.pop();
        let bytes = inner.iter().map(|piece| piece.text.len()).sum();
        self.report[entry].outcome = Outcome::Read(bytes);
        pieces.extend(inner);
        pieces.extend(frame.map(|[_, end]| side(end)));
    }

    fn folder_of(&self, page: &Page<'_>, named: &Named) -> PathBuf {
        let path = self.resolve(page, named);
        path.parent().map_or(path.clone(), Path::to_path_buf)
    }

    /// The path that a place names, without `.` and `..`.
    fn resolve(&self, page: &Page<'_>, named: &Named) -> PathBuf {
        match (named.path.strip_prefix("~/"), &self.ground.home) {
            (Some(rest), Some(home)) => plain(&home.join(rest)),
            (Some(_), None) | (None, _) => plain(&page.folder.join(&named.path)),
        }
    }

    /// Reads what a place names, and tells of it.
    fn import(
        &mut self,
        way: &Way<'_, 's>,
        page: &Page<'_>,
        named: &Named,
    ) -> Option<(Loaded, usize)> {
        let path = self.resolve(page, named);
        let source = way.spot.source;
        if self.is_full(source, &self.ground.show(&path)) {
            return None;
        }
        let loaded = if named.path.contains("://") {
            Err(Refused::Told(Outcome::Skipped(Skip::Address)))
        } else {
            self.load(source, &path, &way.bounds)
        };
        let outcome = match loaded {
            Ok(_) if way.files.len() > way.imports.hops => {
                Outcome::Skipped(Skip::TooDeep(way.imports.hops))
            }
            Ok(loaded) if Kept::from(&loaded.text, 0).is_blank() => Outcome::Skipped(Skip::Empty),
            Ok(mut loaded) => {
                let entry = self.take(way, page, &path, &mut loaded);
                return Some((loaded, entry));
            }
            Err(Refused::Told(Outcome::Duplicate(before))) => self.again(way, before),
            Err(Refused::Told(outcome)) => outcome,
            Err(_) if !looks_like_a_path(&named.path) => return None,
            Err(Refused::Absent) => Outcome::Skipped(Skip::Missing),
            Err(Refused::Folder) => Outcome::Skipped(Skip::NotRegular),
        };
        let shown = match &outcome {
            Outcome::Skipped(Skip::Address) => named.path.clone(),
            _ => self.ground.show(&path),
        };
        self.told(way, page, shown, outcome);
        None
    }

    /// Tells of an import that is read, with its notes.
    fn take(
        &mut self,
        way: &Way<'_, 's>,
        page: &Page<'_>,
        path: &Path,
        loaded: &mut Loaded,
    ) -> usize {
        let shown = self.ground.show(path);
        let copy = self.remember(&loaded.opened, &loaded.text, &shown);
        let notes = std::mem::take(&mut loaded.notes).into_iter().chain(copy).collect();
        let entry = self.told(way, page, shown, Outcome::Read(0));
        self.report[entry].notes = notes;
        entry
    }

    fn again(&self, way: &Way<'_, 's>, before: String) -> Outcome {
        let on_the_way = way.files.iter().filter_map(|id| self.seen.get(id));
        match on_the_way.into_iter().any(|path| *path == before) {
            true => Outcome::Skipped(Skip::Cycle),
            false => Outcome::Duplicate(before),
        }
    }

    fn told(
        &mut self,
        way: &Way<'_, 's>,
        page: &Page<'_>,
        path: String,
        outcome: Outcome,
    ) -> usize {
        let (scope, via) = (way.spot.source.scope, Some(page.shown.clone()));
        self.report.push(Entry { path, scope, via, outcome, notes: Vec::new() });
        self.report.len() - 1
    }
}

/// The places of what is kept of a page.
fn named(page: &Page<'_>, imports: &Imports) -> Vec<Named> {
    let all = imports::find(page.kept.text, imports.syntax, page.marks);
    all.into_iter().filter(|named| page.kept.holds(&named.range)).collect()
}
