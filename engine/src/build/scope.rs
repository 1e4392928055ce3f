//! What a component's template sees.

use super::{Built, Outcome, Sections};
use crate::moment::Moment;
use crate::template::{Found, Scope, Supply, Val};
use crate::trace::{CacheClass, Traced};

/// Known context keys, then the placeholder layers 1, 2 and 5; `ctx`, earlier sections, `base`.
pub(super) struct ComponentScope<'a> {
    pub(super) moment: &'a Moment<'a>,
    pub(super) sections: &'a Sections,
    pub(super) base: Option<&'a Base>,
}

/// The text of the wording below, and how stable it and its being there are.
pub(super) struct Base {
    pub(super) traced: Traced,
    pub(super) class: CacheClass,
    pub(super) presence: CacheClass,
}

impl Scope for ComponentScope<'_> {
    fn lookup(&self, path: &[Box<str>]) -> Option<Found<'_>> {
        match (&**path.first()?, path.get(1)) {
            ("base", _) => {
                let Base { traced, class, presence } = self.base?;
                Some(Found::section(traced, *class, *presence))
            }
            ("sections", Some(id)) => {
                let built = self.sections.get(id)?;
                if let Some(desk) = self.moment.world.desk {
                    desk.add(&built.record);
                }
                Some(below(section(built)))
            }
            (name, _) => {
                let world = &self.moment.world;
                world.key(path).or_else(|| Some(world.placeholder(name)?.1))
            }
        }
    }

    fn supply(&self) -> &dyn Supply {
        self.moment
    }
}

/// The same, reached as `sections.<id>`.
pub(crate) fn below(found: Found<'_>) -> Found<'_> {
    Found { steps: 2, ..found }
}

/// A section as a value; one that is not there is empty.
pub(crate) fn section(built: &Built) -> Found<'_> {
    let found = match &built.outcome {
        Outcome::Section { traced, class, .. } => {
            Found::section(traced, (*class).max(built.presence), built.presence)
        }
        Outcome::Skipped { .. } => Found::new(Val::Text(""), built.presence),
    };
    Found { cause: built.cause.as_ref(), ..found }
}
