//! Values that are one of a few names, and JSON in which no key stands twice.
//!
//! In: what serde reads. Out: the value, or a sentence with the names that there are. Never: lets a second value of a key take the place of
//! the first unseen.

use std::fmt;

use promptweave::DistinctJson;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, Visitor};
use serde_json::Value as Json;

/// One of a few names.
pub(crate) trait Named: Copy + 'static {
    /// What the name is one of, e.g. `mode`.
    const WHAT: &'static str;

    /// All names, in the order in which they are told.
    fn all() -> impl Iterator<Item = (&'static str, Self)>;
}

/// Reads a name.
pub(crate) fn named<'de, T: Named, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct Name<T>(std::marker::PhantomData<T>);

    impl<T: Named> Visitor<'_> for Name<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "the name of a {}", T::WHAT)
        }

        fn visit_str<E: Error>(self, given: &str) -> Result<T, E> {
            let found = T::all().find(|(name, _)| *name == given);
            found.map(|(_, value)| value).ok_or_else(|| {
                let names: Vec<&str> = T::all().map(|(name, _)| name).collect();
                let names = names.join(", ");
                E::custom(format_args!("unknown {} `{given}`; one of {names}", T::WHAT))
            })
        }
    }

    from.deserialize_str(Name(std::marker::PhantomData))
}

/// Says the names of a type, and reads it by them.
macro_rules! names {
    ($type:ty, $what:literal: $($name:literal => $value:expr),+ $(,)?) => {
        impl crate::named::Named for $type {
            const WHAT: &'static str = $what;

            fn all() -> impl Iterator<Item = (&'static str, Self)> {
                [$(($name, $value)),+].into_iter()
            }
        }

        crate::named::read_by_name!($type);
    };
}

/// Reads a type by its names.
macro_rules! read_by_name {
    ($type:ty) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                crate::named::named(from)
            }
        }
    };
}
pub(crate) use {names, read_by_name};

/// Reads JSON in which no key of an object stands twice.
pub(crate) fn distinct<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    let DistinctJson(json) = DistinctJson::deserialize(from)?;
    serde_json::from_value(json).map_err(D::Error::custom)
}

/// The same where it may be left out.
pub(crate) fn distinct_option<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Json>, D::Error> {
    let DistinctJson(json) = DistinctJson::deserialize(from)?;
    Ok(Some(json).filter(|json| !json.is_null()))
}
