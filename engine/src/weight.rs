//! How much work it is to look through a value.
//!
//! In: a JSON value. Out: a number that grows with it. Never: looks farther than it is asked to.

use serde_json::Value as Json;

/// What an item counts, in bytes of text.
const ITEM: usize = 16;

/// About the bytes of a value, its items included; once it is over `most`, anything above that.
pub(crate) fn weight(value: &Json, most: usize) -> usize {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => ITEM,
        Json::String(text) => ITEM + text.len(),
        Json::Array(items) => sum(items.iter().map(|item| (0, item)), most),
        Json::Object(map) => sum(map.iter().map(|(key, item)| (key.len(), item)), most),
    }
}

fn sum<'j>(items: impl Iterator<Item = (usize, &'j Json)>, most: usize) -> usize {
    let mut sum = ITEM;
    for (key, item) in items {
        if sum > most {
            break;
        }
        sum += key + weight(item, most - sum);
    }
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn grows_with_the_value_and_stops() {
        for (value, expected) in [
            (json!(null), 16),
            (json!("abc"), 19),
            (json!([]), 16),
            (json!([1, "ab"]), 50),
            (json!({"abc": [7]}), 51),
        ] {
            assert_eq!(weight(&value, usize::MAX), expected, "{value}");
        }
        assert!((100..200).contains(&weight(&json!(vec![vec![1; 1000]; 1000]), 100)));
    }
}
