//! JSON whose objects have each key once.
//!
//! In: what serde reads. Out: a JSON value. Never: lets the second value of a key take the place of the first unseen.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value as Json};

/// A JSON value; reading one in which a key stands twice in an object is an error, where [`serde_json::Value`] keeps the last.
#[derive(Clone, Debug, PartialEq)]
pub struct DistinctJson(pub Json);

impl<'de> Deserialize<'de> for DistinctJson {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Read.deserialize(from).map(Self)
    }
}

struct Read;

impl<'de> DeserializeSeed<'de> for Read {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Read {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.into()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut map = Map::new();
        while let Some(key) = from.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
            }
            let value = from.next_value_seed(Self)?;
            map.insert(key, value);
        }
        Ok(Json::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_json_is_read_as_ever_but_for_keys_that_stand_twice() {
        for text in [
            r#"{"a": [1, -1, 1.5, 18446744073709551615, null, true, "x\n\u00e9", {}, []], "b": {"a": {"a": 1}}}"#,
            "0",
            "\"\"",
            "1e3",
        ] {
            let DistinctJson(read) = serde_json::from_str(text).unwrap();
            assert_eq!(read, serde_json::from_str::<Json>(text).unwrap(), "{text}");
        }
        for text in
            [r#"{"a": 1, "a": 1}"#, r#"{"a": null, "a": 1}"#, r#"[{"b": {"a": 1, "\u0061": 2}}]"#]
        {
            let told = serde_json::from_str::<DistinctJson>(text).unwrap_err().to_string();
            assert!(told.starts_with("the key `a` stands twice at line 1 column"), "{told}");
        }
    }
}
