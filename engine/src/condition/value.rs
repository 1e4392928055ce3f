//! JSON as CEL values, and the functions that replace the crate's.
//!
//! In: a JSON value. Out: a CEL value that borrows it.
//! Never: converts the inside of a list or map that is not looked at; a context may hold megabytes.
//!
//! Lists and maps of the context are [`Json`]; those that an expression makes are the crate's. The crate's
//! do not know ours when they compare, so [`SAME`] and [`WITHIN`] stand in for `==` and `in` where the two
//! may meet.

use std::any::Any;
use std::sync::{Arc, LazyLock, OnceLock};

use cel::common::traits::{self, Adder, Container, Indexer, Iterable, Sizer};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelNull, CelString, CelUInt, DYN_TYPE, Kind, LIST_TYPE,
    MAP_TYPE, STRING_TYPE, Type,
};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{Env, ExecutionError};
use regex::Regex;
use serde_json::{Number, Value};

/// `==` on any two values.
pub(super) const SAME: &str = "@same";

/// `in` on any two values.
pub(super) const WITHIN: &str = "@within";

/// `matches` with a compiled pattern.
pub(super) const MATCHES: &str = "@matches";

/// The functions and types that every condition sees.
pub(super) static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib().with_optional_support(false);
    let added = [
        env.add_overload(SAME, SAME, vec![DYN_TYPE, DYN_TYPE], call_same),
        env.add_overload(WITHIN, WITHIN, vec![DYN_TYPE, DYN_TYPE], call_within),
        env.add_overload(MATCHES, MATCHES, vec![STRING_TYPE, PATTERN_TYPE], call_matches),
    ];
    debug_assert!(added.iter().all(Result::is_ok), "the crate has no names with `@`");
    Arc::new(env)
});

type Outcome<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

static NULL: CelNull = CelNull;
static TRUE: CelBool = CelBool::TRUE;
static FALSE: CelBool = CelBool::FALSE;

const PATTERN_TYPE: Type = Type::new_unspecified_type("pattern");
static PATTERN: Type = PATTERN_TYPE;
static LIST: Type = LIST_TYPE;
static MAP: Type = MAP_TYPE;

/// A value as CEL sees it. Whole numbers become int, uint only where int is too small.
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

fn boolean<'b, 'v>(value: bool) -> CowVal<'b, 'v> {
    CowVal::Borrowed(if value { &TRUE } else { &FALSE })
}

/// Whether two values are equal, whoever made the lists and maps in them.
fn same(left: &dyn Val, right: &dyn Val) -> bool {
    match (left.get_type().kind(), right.get_type().kind()) {
        (Kind::List, Kind::List) => same_lists(left, right),
        (Kind::Map, Kind::Map) => same_maps(left, right),
        (Kind::List | Kind::Map, _) | (_, Kind::List | Kind::Map) => false,
        _ => left.equals(right),
    }
}

fn same_lists(left: &dyn Val, right: &dyn Val) -> bool {
    let (Some(lefts), Some(rights)) = (left.as_iterable(), right.as_iterable()) else {
        return false;
    };
    let (mut lefts, mut rights) = (lefts.iter(), rights.iter());
    loop {
        match (lefts.next(), rights.next()) {
            (Some(left), Some(right)) if same(left, right) => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

fn same_maps(left: &dyn Val, right: &dyn Val) -> bool {
    let size = |map: &dyn Val| map.as_sizer().map(|map| *map.size().inner());
    let (Some(keys), Some(lefts), Some(rights)) =
        (left.as_iterable(), left.as_indexer(), right.as_indexer())
    else {
        return false;
    };
    let mut keys = keys.iter();
    let same_entry = |key: &dyn Val| match (lefts.get(key), rights.get(key)) {
        (Ok(left), Ok(right)) => same(&*left, &*right),
        _ => false,
    };
    size(left) == size(right) && std::iter::from_fn(|| keys.next()).all(same_entry)
}

fn call_same<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let [left, right] = &args[..] else { return Err(ExecutionError::missing_argument_or_target()) };
    Ok(boolean(same(&**left, &**right)))
}

fn call_within<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let [item, whole] = &args[..] else { return Err(ExecutionError::missing_argument_or_target()) };
    match (whole.as_container(), whole.as_iterable()) {
        (Some(_), Some(list)) if whole.get_type().kind() == Kind::List => {
            let mut items = list.iter();
            Ok(boolean(std::iter::from_fn(|| items.next()).any(|other| same(&**item, other))))
        }
        (Some(map), _) => map.contains(&**item).map(boolean),
        (None, _) => {
            let types = [item, whole].map(|value| value.get_type().name().to_owned());
            Err(ExecutionError::no_such_overload("@in", types.to_vec()))
        }
    }
}

fn call_matches<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let [text, pattern] = &args[..] else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    match (text.downcast_ref::<CelString>(), pattern.downcast_ref::<Pattern>()) {
        (Some(text), Some(Pattern(regex))) => Ok(boolean(regex.is_match(text.inner()))),
        _ => Err(ExecutionError::missing_argument_or_target()),
    }
}

/// A compiled regular expression, which the tree refers to by a name.
#[derive(Clone, Debug)]
pub(super) struct Pattern(pub Regex);

impl Pattern {
    const PREFIX: &str = "@pattern";

    /// The name of the pattern of that number; no text can spell it.
    pub(super) fn name(number: usize) -> String {
        format!("{}{number}", Self::PREFIX)
    }

    /// The number of the pattern of that name.
    pub(super) fn number(name: &str) -> Option<usize> {
        name.strip_prefix(Self::PREFIX)?.parse().ok()
    }
}

impl Val for Pattern {
    fn get_type(&self) -> &Type {
        &PATTERN
    }

    fn cel_type() -> &'static Type {
        &PATTERN
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Pattern {}

/// An array or object of the context.
#[derive(Debug)]
pub(super) struct Json<'v> {
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
            Value::Object(map) => map.keys().map(|key| text(key)).collect(),
            _ => Vec::new(),
        })
    }
}

fn text<'v>(text: &'v str) -> Box<dyn Val + 'v> {
    Box::new(CelString::from(text))
}

impl<'v> Val for Json<'v> {
    fn get_type(&self) -> &Type {
        if self.value.is_array() { &LIST } else { &MAP }
    }

    fn cel_type() -> &'static Type {
        // Only asked of the parameters of functions, and no function is declared for this type.
        static DYN: Type = DYN_TYPE;
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
        let Some(right) = right.as_iterable().filter(|_| right.get_type().kind() == Kind::List)
        else {
            let types = vec!["list".to_owned(), right.get_type().name().to_owned()];
            return Err(ExecutionError::no_such_overload("_+_", types));
        };
        let mut right = right.iter();
        let ours = self.items().iter().map(|item| item.clone_as_boxed());
        let theirs = std::iter::from_fn(|| right.next()).map(|item| item.clone_as_boxed());
        let all: Vec<Box<dyn Val + 'w>> = ours.chain(theirs).collect();
        Ok(CowVal::owned(CelList::from(all)))
    }
}

impl Container for Json<'_> {
    fn contains(&self, item: &dyn Val) -> Result<bool, ExecutionError> {
        Ok(match self.value {
            Value::Array(items) => items.iter().any(|other| is(other, item)),
            Value::Object(map) => {
                item.downcast_ref::<CelString>().is_some_and(|key| map.contains_key(key.inner()))
            }
            _ => false,
        })
    }
}

/// Whether a CEL value equals a JSON value; strings, the common case, are not converted.
fn is(json: &Value, value: &dyn Val) -> bool {
    match json {
        Value::String(text) => {
            value.downcast_ref::<CelString>().is_some_and(|it| it.inner() == text)
        }
        other => same(&*convert(other), value),
    }
}

impl Indexer for Json<'_> {
    fn get<'b, 'w>(&'b self, key: &dyn Val) -> Outcome<'b, 'w>
    where
        Self: 'w,
    {
        let found = match self.value {
            Value::Array(items) => items.get(index(key)?),
            Value::Object(map) => {
                key.downcast_ref::<CelString>().and_then(|key| map.get(key.inner()))
            }
            _ => None,
        };
        found.map(convert).ok_or_else(|| ExecutionError::no_such_key(&key_name(key)))
    }

    fn steal<'w>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'w>, ExecutionError>
    where
        Self: 'w,
    {
        self.get(key).map(CowVal::into_owned)
    }
}

/// A position in a list.
fn index(key: &dyn Val) -> Result<usize, ExecutionError> {
    let position = match (key.downcast_ref::<CelInt>(), key.downcast_ref::<CelUInt>()) {
        (Some(int), _) => usize::try_from(*int.inner()).ok(),
        (None, Some(uint)) => usize::try_from(*uint.inner()).ok(),
        (None, None) => {
            let types = vec!["list".to_owned(), key.get_type().name().to_owned()];
            return Err(ExecutionError::no_such_overload("_[_]", types));
        }
    };
    Ok(position.unwrap_or(usize::MAX))
}

/// How a key is named to people.
fn key_name(key: &dyn Val) -> String {
    match (key.downcast_ref::<CelString>(), key.downcast_ref::<CelInt>()) {
        (Some(text), _) => text.inner().to_owned(),
        (None, Some(int)) => int.inner().to_string(),
        (None, None) => key.get_type().name().to_owned(),
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
