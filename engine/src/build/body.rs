//! From a component's body to its text: overrides above it, shadowed components below it.

use std::sync::Arc;

use serde_json::Value as Json;

use super::scope::{Base, ComponentScope};
use super::{Failure, MAX_SECTION_BYTES, Run, Yield, widest};
use crate::diagnostic::{Origin, SourceText};
use crate::model::{
    Body, Case, CaseBody, Cases, Component, Override, Select, SkipReason, Subject, dotted,
};
use crate::moment::{Moment, diagnose};
use crate::template::Template;
use crate::trace::{CacheClass, Piece, PieceKind, Source, Traced};

/// One wording of a component; the one below is what `{{base}}` prints.
#[derive(Clone, Copy)]
pub(super) enum Wording<'a> {
    Override(&'a Override),
    Component(&'a Component),
}

impl<'a> Wording<'a> {
    fn below(self, component: &'a Component) -> Option<Self> {
        match self {
            Self::Override(own) => {
                Some(own.base.as_deref().map_or(Self::Component(component), Self::Override))
            }
            Self::Component(own) => own.base.as_deref().map(Self::Component),
        }
    }

    /// The topmost wording of a component in a build.
    pub(super) fn top(moment: &Moment<'a>, component: &'a Component) -> Self {
        let own = moment.world.variant.overrides.get(&component.id);
        own.map_or(Self::Component(component), Self::Override)
    }

    /// The item of an extension that its text is made of, if there is one; it may be one that is printed only in
    /// some cases.
    pub(super) fn item(self, component: &'a Component) -> Option<&'a Arc<str>> {
        let below = || self.below(component)?.item(component);
        match self {
            Self::Component(Component { body: Body::From(item), .. }) => Some(item),
            Self::Component(own) => below().filter(|_| own.body.templates().iter().any(names_base)),
            Self::Override(Override { body: None, .. }) => below(),
            Self::Override(Override { body: Some(body), .. }) => {
                below().filter(|_| body.template().iter().any(names_base))
            }
        }
    }

    /// Whether words of its own are there whatever its values are.
    fn is_solid(self, component: &'a Component) -> bool {
        match self {
            Self::Override(Override { body: None, .. }) => {
                self.below(component).is_some_and(|below| below.is_solid(component))
            }
            Self::Override(Override { body: Some(CaseBody::Template(template)), .. })
            | Self::Component(Component { body: Body::Template(template), .. }) => {
                template.solid_text().is_some()
            }
            Self::Override(Override { body: Some(CaseBody::Text(text)), .. })
            | Self::Component(Component { body: Body::Text(text), .. }) => {
                !text.text.trim().is_empty()
            }
            Self::Component(Component {
                body: Body::Value(_) | Body::From(_) | Body::Cases(_),
                ..
            }) => false,
        }
    }
}

impl Run<'_, '_> {
    /// The text of the topmost wording.
    pub(super) fn layers(&mut self, component: &Component) -> Result<Yield, Failure> {
        self.wording(component, Wording::top(self.moment, component))
    }

    /// Whether the component has a section whatever its values are, once it runs.
    pub(super) fn is_solid(&self, component: &Component) -> bool {
        Wording::top(self.moment, component).is_solid(component)
    }

    fn wording(&mut self, component: &Component, wording: Wording<'_>) -> Result<Yield, Failure> {
        match wording {
            Wording::Override(Override { body: None, .. }) => self.base_of(component, wording),
            Wording::Override(Override { body: Some(CaseBody::Template(template)), .. })
            | Wording::Component(Component { body: Body::Template(template), .. }) => {
                self.template(component, wording, template).map(Yield::Text)
            }
            Wording::Override(Override { body: Some(CaseBody::Text(text)), .. })
            | Wording::Component(Component { body: Body::Text(text), .. }) => {
                Ok(Yield::Text(whole(text, &text.text, CacheClass::Static, PieceKind::Value, None)))
            }
            Wording::Component(Component { body: Body::Value(path), .. }) => Ok(self.value(path)),
            Wording::Component(Component { body: Body::From(item), .. }) => {
                self.code(component, item)
            }
            Wording::Component(Component { body: Body::Cases(cases), .. }) => {
                self.cases(component, wording, cases)
            }
        }
    }

    fn base_of(&mut self, component: &Component, wording: Wording<'_>) -> Result<Yield, Failure> {
        match wording.below(component) {
            Some(below) => self.wording(component, below),
            None => Ok(Yield::Text(Traced::default())),
        }
    }

    /// What `{{base}}` stands for in a wording.
    fn base(&mut self, component: &Component, wording: Wording<'_>) -> Result<Base, Failure> {
        let is_solid = wording.below(component).is_some_and(|below| below.is_solid(component));
        Ok(match self.base_of(component, wording)? {
            Yield::Text(traced) => {
                let class = widest(&traced).0;
                let presence = if is_solid { CacheClass::Static } else { class };
                Base { traced, class, presence }
            }
            Yield::Nothing(_, _, class) => {
                Base { traced: Traced::default(), class, presence: class }
            }
        })
    }

    fn template(
        &mut self,
        component: &Component,
        wording: Wording<'_>,
        template: &Template,
    ) -> Result<Traced, Failure> {
        let base = if names_base(&template) { Some(self.base(component, wording)?) } else { None };
        let (moment, sections) = (self.moment, self.sections);
        let scope = ComponentScope { moment, sections, base: base.as_ref() };
        let evaluated = template.evaluate(&scope, self.moment.world.variant.missing)?;
        for issue in &evaluated.issues {
            self.told.push(diagnose(&format!("component `{}`", component.id), issue));
        }
        Ok(evaluated.traced)
    }

    fn value(&self, path: &str) -> Yield {
        let class = self.moment.world.class_of_path(path);
        let path = path.strip_prefix("ctx.").unwrap_or(path);
        if let Some(desk) = self.moment.world.desk {
            desk.read(&dotted(path));
        }
        let text = match self.moment.world.context.get(path) {
            None => {
                return Yield::Nothing(
                    SkipReason::Empty,
                    format!("`{path}` is absent").into(),
                    class,
                );
            }
            Some(Json::String(text)) => text.clone(),
            Some(other) => crate::template::json_text(other),
        };
        let source = SourceText::new("", Origin::Context(path.into()));
        Yield::Text(whole(&source, &text, class, PieceKind::Value, Some(path)))
    }

    fn cases(
        &mut self,
        component: &Component,
        wording: Wording<'_>,
        cases: &Cases,
    ) -> Result<Yield, Failure> {
        let mut joined: Option<Traced> = None;
        let (mut decided, mut cause) = (CacheClass::Static, None);
        for case in &cases.cases {
            let (holds, class, why) = self.case_holds(case);
            if class > decided {
                (decided, cause) = (class, why);
            }
            if !holds {
                continue;
            }
            let text = match &case.body {
                CaseBody::Template(template) => self.template(component, wording, template)?,
                CaseBody::Text(text) => {
                    whole(text, &text.text, CacheClass::Static, PieceKind::Value, None)
                }
            };
            match &mut joined {
                None => joined = Some(text),
                Some(all) if all.text.len() + text.text.len() > MAX_SECTION_BYTES => {
                    return Err(Failure::too_large("the text of its cases is", MAX_SECTION_BYTES));
                }
                Some(all) => all.append(&cases.separator, &text),
            }
            if cases.select == Select::First {
                break;
            }
        }
        let Some(mut traced) = joined else {
            return Ok(Yield::Nothing(SkipReason::ConditionFalse, "no case holds".into(), decided));
        };
        traced.decide(decided, cause.as_deref());
        Ok(Yield::Text(traced))
    }

    /// Whether a case holds, and the class and name of what decided it.
    fn case_holds(&mut self, case: &Case) -> (bool, CacheClass, Option<Box<str>>) {
        let moment = self.moment;
        let text = |path| {
            if let Some(desk) = moment.world.desk {
                desk.read(path);
            }
            moment.world.context.text(path).unwrap_or_default()
        };
        let model = || Subject::model(text("model.id"));
        let provider = || Subject::provider(text("provider.id"));
        if case.models.as_ref().is_some_and(|models| !models.matches(&model()).holds())
            || case.providers.as_ref().is_some_and(|ids| !ids.matches(&provider()).holds())
            || !(case.variants.is_empty() || case.variants.contains(&moment.world.variant.id))
        {
            return (false, CacheClass::Static, None);
        }
        let (mut class, mut cause) = (CacheClass::Static, None);
        if !case.tools.is_empty() {
            let classes = case.tools.iter().map(|tool| moment.tools.class_of(tool.as_str()));
            (class, cause) = (classes.max().unwrap_or_default(), Some("tools".into()));
            moment.reads_tools();
            if !case.tools.iter().all(|tool| moment.tools.has(tool.as_str())) {
                return (false, class, cause);
            }
        }
        let Some(when) = &case.when else { return (true, class, cause) };
        let answer = moment.ask(when, self.told);
        if answer.class > class {
            (class, cause) = (answer.class, answer.cause);
        }
        (answer.holds, class, cause)
    }
}

/// Whether a template prints, or looks at, the wording below.
fn names_base(template: &&Template) -> bool {
    template.paths().any(|path| path == "base")
}

/// A text of one piece.
pub(crate) fn whole(
    source: &Arc<SourceText>,
    text: &str,
    class: CacheClass,
    kind: PieceKind,
    cause: Option<&str>,
) -> Traced {
    let mut traced = Traced { text: text.into(), ..Traced::default() };
    traced.sources.push(Source::new(Arc::clone(source)));
    traced.pieces.push(Piece { end: text.len() as u32, kind, class, source: 0, at: 0 });
    traced.decide(class, cause);
    traced
}
