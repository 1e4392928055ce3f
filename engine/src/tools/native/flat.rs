//! What a tool takes, as one object.
//!
//! In: the top of a schema. Out: [`Flat`]: its properties, which of them are required, and its other keywords.
//! Never: keeps alternatives at the top, which no provider takes there; what they list is put together, with a note.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::json_schema::sorted;
use super::walk::{Node, Segment, Walk};

/// A schema with parts of its top put together.
#[derive(Debug, Default)]
pub(super) struct Flat<'s> {
    pub properties: BTreeMap<&'s str, &'s Json>,
    /// In the order of the schema, each once; they need not be among the properties.
    pub required: Vec<&'s str>,
    /// Its other keywords.
    pub rest: Node<'s>,
    /// What is required, to ask for.
    needs: BTreeSet<&'s str>,
}

/// Which parts are put together.
#[derive(Clone, Copy)]
pub(super) enum Fold {
    AllOf,
    Everything,
}

impl Fold {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::AllOf => &["allOf"],
            Self::Everything => &["allOf", "anyOf", "oneOf"],
        }
    }
}

impl<'s> Flat<'s> {
    /// Reads the top of a tool's schema.
    ///
    /// # Errors
    /// A sentence, when it describes something else than an object.
    pub(super) fn of_tool(walk: &mut Walk<'s>, schema: &Json) -> Result<Self, &'static str> {
        if !matches!(schema, Json::Object(_) | Json::Bool(true)) {
            return Err("its input schema is no schema");
        }
        let flat = walk.start(|walk, node| Self::of(walk, node, Fold::Everything));
        match flat.rest.get("type") {
            Some(Json::String(kind)) if kind == "object" => {}
            Some(Json::Array(kinds)) if kinds.iter().any(|kind| kind == "object") => {
                walk.change_key("type", "is `object` now");
            }
            Some(_) => return Err("it takes something else than an object"),
            None => walk.change_key("type", "is `object` now"),
        }
        Ok(flat)
    }

    /// Reads a part of a schema.
    pub(super) fn of(walk: &mut Walk<'s>, mut node: Node<'s>, fold: Fold) -> Self {
        let mut flat = Self::default();
        match node.remove("properties") {
            Some(Json::Object(map)) => flat.properties = sorted(map),
            Some(_) => walk.change_key("properties", "left out, since it is no object"),
            None => {}
        }
        match node.remove("required") {
            Some(Json::Array(names)) => names.iter().for_each(|name| flat.require(name.as_str())),
            Some(_) => walk.change_key("required", "left out, since it is no list"),
            None => {}
        }
        flat.rest = node;
        for key in fold.keys() {
            flat.put_together(walk, key, fold);
        }
        flat
    }

    fn put_together(&mut self, walk: &mut Walk<'s>, key: &'static str, fold: Fold) {
        let Some(parts) = self.rest.remove(key) else { return };
        walk.change_key(key, "what it lists is put together as one object");
        let parts = parts.as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
        let parts: Vec<Flat<'s>> = parts
            .map(|(at, part)| {
                let steps = [Segment::Key(key), Segment::At(at)];
                walk.visit(&steps, part, |walk, node| Self::of(walk, node, fold))
            })
            .collect();
        let all = match key {
            "allOf" => parts.len(),
            _ => parts.len().min(1),
        };
        for name in parts[..all].iter().flat_map(|part| &part.required) {
            if key == "allOf" || parts.iter().all(|part| part.needs.contains(name)) {
                self.require(Some(name));
            }
        }
        for part in parts {
            for (name, schema) in part.properties {
                self.properties.entry(name).or_insert(schema);
            }
            for (keyword, value) in part.rest {
                if key == "allOf" || keyword == "type" {
                    self.rest.entry(keyword).or_insert(value);
                }
            }
        }
    }

    fn require(&mut self, name: Option<&'s str>) {
        if let Some(name) = name.filter(|name| self.needs.insert(name)) {
            self.required.push(name);
        }
    }
}
