//! Who may have entries that live for an hour.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::facts::Ttl;

/// What each query source was granted, for the rest of a session: a list that changes midway would change the bytes of
/// the requests, and empty the cache. A plain value; a session keeps one and drops it when it is reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TtlLatch(BTreeMap<String, Ttl>);

impl TtlLatch {
    /// What a source may have: an hour when one of `allowed` is its name, or ends in `*` and begins it. What was said once
    /// is said again, whatever `allowed` holds then.
    pub fn ttl(&mut self, source: &str, allowed: &[impl AsRef<str>]) -> Ttl {
        let fits = |item: &str| match item.strip_suffix('*') {
            Some(front) => source.starts_with(front),
            None => source == item,
        };
        let granted = || match allowed.iter().any(|item| fits(item.as_ref())) {
            true => Ttl::OneHour,
            false => Ttl::FiveMinutes,
        };
        *self.0.entry(source.to_owned()).or_insert_with(granted)
    }

    /// `{source: "5m" or "1h"}`, to be kept.
    pub fn to_json(&self) -> Json {
        self.0.iter().map(|(source, ttl)| (source.clone(), json!(ttl.as_str()))).collect()
    }

    /// What was kept; entries that are none are left out, and will be decided anew.
    pub fn from_json(kept: &Json) -> Self {
        let entries = kept.as_object().into_iter().flatten().filter_map(|(source, word)| {
            let (_, ttl) = Ttl::WORDS.iter().find(|(name, _)| word == name)?;
            Some((source.clone(), *ttl))
        });
        Self(entries.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_grants_an_hour_by_name_or_front() {
        for (source, allowed, ttl) in [
            ("main", &["main"][..], "1h"),
            ("main", &["mai"], "5m"),
            ("main:plan", &["main*"], "1h"),
            ("agent:main", &["main*"], "5m"),
            ("", &["*"], "1h"),
            ("", &[""], "1h"),
            ("main", &[], "5m"),
        ] {
            assert_eq!(
                TtlLatch::default().ttl(source, allowed).as_str(),
                ttl,
                "{source} {allowed:?}"
            );
        }
    }

    #[test]
    fn what_was_said_once_holds() {
        let mut latch = TtlLatch::default();
        assert_eq!(latch.ttl("main", &["main"]), Ttl::OneHour);
        assert_eq!(latch.ttl("sub", &["main"]), Ttl::FiveMinutes);
        let mut latch = TtlLatch::from_json(&latch.to_json());
        assert_eq!(latch.ttl("main", &[""; 0]), Ttl::OneHour);
        assert_eq!(latch.ttl("sub", &["*"]), Ttl::FiveMinutes);
        assert_eq!(latch.ttl("new", &["*"]), Ttl::OneHour);
        assert_eq!(TtlLatch::from_json(&json!({"a": "9m", "b": 1})), TtlLatch::default());
    }
}
