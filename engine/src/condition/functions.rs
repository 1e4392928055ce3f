//! What every condition sees of CEL: the crate's functions, and ours in the place of three of them.
//!
//! In: CEL values. Out: CEL values.
//! Never: compiles a regular expression, which may take long; the patterns come compiled.
//!
//! The lists and maps of the context are [`Json`](super::json), those that an expression writes are the
//! crate's, and the crate's compare only with their own kind. So [`SAME`] and [`WITHIN`] stand in for `==`
//! and `in` where both may meet.

use std::any::Any;
use std::sync::{Arc, LazyLock};

use cel::common::types::{CelBool, CelList, CelString, DYN_TYPE, Kind, STRING_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{Env, ExecutionError};
use regex::Regex;

/// `==` on any two values. No text can spell a name with `@`.
pub(super) const SAME: &str = "@same";

/// `in` on any two values.
pub(super) const WITHIN: &str = "@within";

/// `matches` with a compiled pattern.
pub(super) const MATCHES: &str = "@matches";

/// The functions and types that every condition sees; made once, as it takes 0.1 ms.
pub(super) static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib().with_optional_support(false);
    let added = [
        env.add_overload(SAME, SAME, vec![DYN_TYPE, DYN_TYPE], call_same),
        env.add_overload(WITHIN, WITHIN, vec![DYN_TYPE, DYN_TYPE], call_within),
        env.add_overload(MATCHES, MATCHES, vec![STRING_TYPE, PATTERN_TYPE], call_matches),
    ];
    debug_assert!(added.iter().all(Result::is_ok), "the crate declares no such names");
    Arc::new(env)
});

/// What a function or an operator yields.
pub(super) type Outcome<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// A boolean without an allocation.
pub(super) fn boolean<'b, 'v>(value: bool) -> CowVal<'b, 'v> {
    static TRUE: CelBool = CelBool::TRUE;
    static FALSE: CelBool = CelBool::FALSE;
    CowVal::Borrowed(if value { &TRUE } else { &FALSE })
}

/// The error of an operator or function that does not take these operands.
pub(super) fn does_not_take(name: &str, operands: [&dyn Val; 2]) -> ExecutionError {
    let types = operands.map(|operand| operand.get_type().name().to_owned());
    ExecutionError::no_such_overload(name, types.into())
}

/// Whether two values are equal, whoever made the lists and maps in them.
pub(super) fn same(left: &dyn Val, right: &dyn Val) -> bool {
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
    let [left, right] = two(&args)?;
    Ok(boolean(same(left, right)))
}

fn call_within<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let [item, whole] = two(&args)?;
    if let Some(list) = whole.downcast_ref::<CelList>() {
        return Ok(boolean(list.iter().any(|other| same(item, &**other))));
    }
    let whole = whole.as_container().ok_or_else(|| does_not_take("@in", [item, whole]))?;
    whole.contains(item).map(boolean)
}

fn call_matches<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let [text, pattern] = two(&args)?;
    match (text.downcast_ref::<CelString>(), pattern.downcast_ref::<Pattern>()) {
        (Some(text), Some(Pattern(regex))) => Ok(boolean(regex.is_match(text.inner()))),
        _ => Err(does_not_take(MATCHES, [text, pattern])),
    }
}

/// The arguments of a function that is declared with two.
fn two<'a, 'b, 'v>(args: &'a [CowVal<'b, 'v>]) -> Result<[&'a (dyn Val + 'v); 2], ExecutionError> {
    match args {
        [left, right] => Ok([&**left, &**right]),
        _ => Err(ExecutionError::missing_argument_or_target()),
    }
}

const PATTERN_TYPE: Type = Type::new_unspecified_type("pattern");
static PATTERN: Type = PATTERN_TYPE;

/// A compiled regular expression, which a tree refers to by name.
#[derive(Clone, Debug)]
pub(super) struct Pattern(pub Regex);

impl Pattern {
    const PREFIX: &str = "@pattern";

    /// The name of the pattern of that number.
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
