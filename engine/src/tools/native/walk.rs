//! A bounded walk through a JSON Schema that nobody has checked.
//!
//! In: any JSON. Out: [`Node`]s with local references resolved, and the [`Changes`] on the way.
//! Never: follows a reference in a circle, goes deeper than the limit or visits more than [`MAX_NODES`] parts.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// How many parts one schema may have: as many as OpenAI allows properties in a strict schema.
pub(super) const MAX_NODES: usize = 5000;
/// How many places one note lists.
const MAX_PLACES: usize = 4;

/// One part of a schema: its keywords in order, those of what it refers to among them.
pub(super) type Node<'s> = BTreeMap<&'s str, &'s Json>;

/// Where a walk stands, and what it has met.
pub(super) struct Walk<'s> {
    root: &'s Json,
    max_depth: usize,
    depth: usize,
    path: Vec<Segment<'s>>,
    /// The references that lead to this place.
    refs: Vec<&'s str>,
    left: usize,
    pub changes: Changes,
}

/// One step of a path.
#[derive(Clone, Copy)]
pub(super) enum Segment<'s> {
    Key(&'s str),
    At(usize),
}

/// What was changed, and where: one entry for each kind of change.
#[derive(Debug, Default)]
pub(super) struct Changes(BTreeMap<&'static str, Places>);

#[derive(Debug, Default)]
struct Places {
    first: Vec<String>,
    count: usize,
}

impl<'s> Walk<'s> {
    pub(super) fn new(root: &'s Json, max_depth: usize) -> Self {
        let (path, refs, changes) = (Vec::new(), Vec::new(), Changes::default());
        Self { root, max_depth, depth: 0, path, refs, left: MAX_NODES, changes }
    }

    /// Visits the whole schema.
    pub(super) fn start<T>(&mut self, visit: impl FnOnce(&mut Self, Node<'s>) -> T) -> T {
        let node = self.open(self.root);
        visit(self, node)
    }

    /// Visits a part of the place where the walk stands.
    pub(super) fn visit<T>(
        &mut self,
        steps: &[Segment<'s>],
        part: &'s Json,
        visit: impl FnOnce(&mut Self, Node<'s>) -> T,
    ) -> T {
        let (path, refs) = (self.path.len(), self.refs.len());
        self.path.extend_from_slice(steps);
        self.depth += 1;
        let node = self.open(part);
        let made = visit(self, node);
        self.depth -= 1;
        self.path.truncate(path);
        self.refs.truncate(refs);
        made
    }

    /// Notes a change of this place.
    pub(super) fn change(&mut self, what: &'static str) {
        self.note(what, None);
    }

    /// Notes a change of a keyword of this place.
    pub(super) fn change_key(&mut self, key: &str, what: &'static str) {
        self.note(what, Some(key));
    }

    fn note(&mut self, what: &'static str, key: Option<&str>) {
        let places = self.changes.0.entry(what).or_default();
        places.count += 1;
        if places.first.len() < MAX_PLACES {
            places.first.push(pointer(&self.path, key));
        }
    }

    fn open(&mut self, part: &'s Json) -> Node<'s> {
        let map = match part {
            Json::Object(map) => map,
            Json::Bool(true) => return Node::new(),
            _ => {
                self.change("what is no schema now accepts anything");
                return Node::new();
            }
        };
        let node: Node<'s> = map.iter().map(|(key, value)| (key.as_str(), value)).collect();
        if self.depth > self.max_depth || self.left == 0 {
            self.change("what is nested too deeply, or is one part too many, is left open");
            return outline(node);
        }
        self.left -= 1;
        self.follow(node)
    }

    /// Puts what a part refers to under what it says itself.
    fn follow(&mut self, mut node: Node<'s>) -> Node<'s> {
        while let Some(reference) = node.remove("$ref") {
            let target = reference.as_str().and_then(|pointer| self.target(pointer));
            let Some(target) = target else {
                self.change(
                    "a reference that leads in a circle, or nowhere, is an open object now",
                );
                node.entry("type").or_insert(&OBJECT);
                return outline(node);
            };
            for (key, value) in target {
                node.entry(key).or_insert(value);
            }
        }
        node
    }

    /// What a local reference leads to, unless the walk came through it.
    fn target(&mut self, reference: &'s str) -> Option<Node<'s>> {
        if self.refs.contains(&reference) {
            return None;
        }
        let target = self.root.pointer(reference.strip_prefix('#')?)?.as_object()?;
        self.refs.push(reference);
        Some(target.iter().map(|(key, value)| (key.as_str(), value)).collect())
    }
}

static OBJECT: std::sync::LazyLock<Json> = std::sync::LazyLock::new(|| Json::from("object"));

/// What is left of a part that is not walked: its type and description.
fn outline(mut node: Node<'_>) -> Node<'_> {
    node.retain(|key, value| matches!(*key, "type" | "description") && value.is_string());
    node
}

/// The JSON Pointer of a place (RFC 6901); that of the whole is `/`, since an empty one shows nothing.
fn pointer(path: &[Segment<'_>], key: Option<&str>) -> String {
    let mut pointer = String::new();
    for segment in path.iter().copied().chain(key.map(Segment::Key)) {
        pointer.push('/');
        match segment {
            Segment::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
            Segment::At(index) => pointer.push_str(&index.to_string()),
        }
    }
    if pointer.is_empty() { "/".to_owned() } else { pointer }
}

impl Changes {
    /// One sentence for each kind of change, with its first places.
    pub(super) fn sentences(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(what, places)| {
            let listed: Vec<String> =
                places.first.iter().map(|place| format!("`{place}`")).collect();
            let more = match places.count - listed.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{what}: {}{more}", listed.join(", "))
        })
    }
}
