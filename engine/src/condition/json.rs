//! JSON as CEL values.
//!
//! In: a JSON value. Out: a CEL value that borrows it.
//! Never: converts the inside of a list or map before it is looked at; a context may hold megabytes.

use std::sync::OnceLock;

use cel::ExecutionError;
use cel::common::traits::{self, Adder, Container, Indexer, Iterable, Sizer};
use cel::common::types::{
    CelDouble, CelInt, CelList, CelNull, CelString, CelUInt, DYN_TYPE, Kind, LIST_TYPE, MAP_TYPE,
    Type,
};
use cel::common::value::{CowVal, Val};
use serde_json::{Number, Value};

use super::functions::{Outcome, boolean, does_not_take, same};

static NULL: CelNull = CelNull;
static DYN: Type = DYN_TYPE;
static LIST: Type = LIST_TYPE;
static MAP: Type = MAP_TYPE;

/// A value as CEL sees it. Whole numbers become int, or uint where int is too small.
pub(super) fn convert<'b, 'v>(value: &'v Value) -> CowVal<'b, 'v> {
    match value {
        Value::Null => CowVal::Borrowed(&NULL),
        Value::Bool(value) => boolean(*value),
        Value::Number(number) => CowVal::Owned(convert_number(number)),
        Value::String(text) => CowVal::owned(CelString::from(text.as_str())),
        Value::Array(_) | Value::Object(_) => CowVal::owned(Json::new(value)),
    }
}

fn convert_number<'v>(number: &Number) -> Box<dyn Val + 'v> {
    if let Some(int) = number.as_i64() {
        Box::new(CelInt::from(int))
    } else if let Some(uint) = number.as_u64() {
        Box::new(CelUInt::from(uint))
    } else {
        Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN)))
    }
}

/// An array or object of the context.
#[derive(Debug)]
struct Json<'v> {
    value: &'v Value,
    /// What a comprehension runs over, made when one does: the elements, or the keys.
    items: OnceLock<Vec<Box<dyn Val + 'v>>>,
}

impl<'v> Json<'v> {
    fn new(value: &'v Value) -> Self {
        Self { value, items: OnceLock::new() }
    }

    fn items(&self) -> &[Box<dyn Val + 'v>] {
        self.items.get_or_init(|| match self.value {
            Value::Array(items) => items.iter().map(|item| convert(item).into_owned()).collect(),
            Value::Object(map) => map.keys().map(|key| boxed_text(key)).collect(),
            _ => Vec::new(),
        })
    }
}

fn boxed_text<'v>(text: &'v str) -> Box<dyn Val + 'v> {
    Box::new(CelString::from(text))
}

impl<'v> Val for Json<'v> {
    fn get_type(&self) -> &Type {
        if self.value.is_array() { &LIST } else { &MAP }
    }

    /// Only asked of the parameters of functions; none is declared for this type.
    fn cel_type() -> &'static Type {
        &DYN
    }

    fn as_adder<'b, 'w>(&'b self) -> Option<&'b (dyn Adder + 'w)>
    where
        Self: 'w,
    {
        if self.value.is_array() { Some(self) } else { None }
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'w>(&'b self) -> Option<&'b (dyn Indexer + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_iterable<'b, 'w>(&'b self) -> Option<&'b (dyn Iterable + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        same(self, other)
    }

    fn clone_as_boxed<'w>(&self) -> Box<dyn Val + 'w>
    where
        Self: 'w,
    {
        Box::new(Json::new(self.value))
    }
}

impl Adder for Json<'_> {
    fn add<'b, 'w>(&'b self, right: &(dyn Val + 'w)) -> Outcome<'b, 'w>
    where
        Self: 'w,
    {
        let list = right.as_iterable().filter(|_| right.get_type().kind() == Kind::List);
        let mut theirs = list.ok_or_else(|| does_not_take("_+_", [self, right]))?.iter();
        let ours = self.items().iter().map(|item| item.clone_as_boxed());
        let theirs = std::iter::from_fn(|| theirs.next()).map(|item| item.clone_as_boxed());
        let all: Vec<Box<dyn Val + 'w>> = ours.chain(theirs).collect();
        Ok(CowVal::owned(CelList::from(all)))
    }
}

impl Container for Json<'_> {
    fn contains(&self, item: &dyn Val) -> Result<bool, ExecutionError> {
        let text = item.downcast_ref::<CelString>().map(CelString::inner);
        Ok(match self.value {
            Value::Array(items) => items.iter().any(|other| match (other, text) {
                // The common case, which needs no conversion.
                (Value::String(other), Some(text)) => other == text,
                _ => same(&*convert(other), item),
            }),
            Value::Object(map) => text.is_some_and(|key| map.contains_key(key)),
            _ => false,
        })
    }
}

impl Indexer for Json<'_> {
    fn get<'b, 'w>(&'b self, key: &dyn Val) -> Outcome<'b, 'w>
    where
        Self: 'w,
    {
        let text = key.downcast_ref::<CelString>().map(CelString::inner);
        let found = match self.value {
            Value::Array(items) => items.get(self.position(key)?),
            Value::Object(map) => text.and_then(|key| map.get(key)),
            _ => None,
        };
        let absent = || ExecutionError::no_such_key(text.unwrap_or("an item of a list"));
        found.map(convert).ok_or_else(absent)
    }

    fn steal<'w>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'w>, ExecutionError>
    where
        Self: 'w,
    {
        self.get(key).map(CowVal::into_owned)
    }
}

impl Json<'_> {
    /// The position that an index stands for; one that no list has when it is negative.
    fn position(&self, index: &dyn Val) -> Result<usize, ExecutionError> {
        let int = index.downcast_ref::<CelInt>().map(|int| usize::try_from(*int.inner()));
        let uint = index.downcast_ref::<CelUInt>().map(|uint| usize::try_from(*uint.inner()));
        let position = int.or(uint).ok_or_else(|| does_not_take("_[_]", [self, index]))?;
        Ok(position.unwrap_or(usize::MAX))
    }
}

impl Iterable for Json<'_> {
    fn iter<'b, 'w>(&'b self) -> Box<dyn traits::Iterator<'b, 'w> + 'b>
    where
        Self: 'w,
    {
        Box::new(Items(self.items().iter()))
    }
}

struct Items<'b, 'v>(std::slice::Iter<'b, Box<dyn Val + 'v>>);

impl<'b, 'v: 'w, 'w> traits::Iterator<'b, 'w> for Items<'b, 'v> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'w)> {
        self.0.next().map(|item| &**item as &(dyn Val + 'w))
    }
}

impl Sizer for Json<'_> {
    fn size(&self) -> CelInt {
        let size = match self.value {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        CelInt::from(i64::try_from(size).unwrap_or(i64::MAX))
    }
}
