//! A set of names that is asked about for each tag.
//!
//! In: names in order. Out: the number of a name, whether one begins with some bytes. Never: allocates when asked.

/// Names, with the number each one has in the list that it was made from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    sorted: Vec<(Box<[u8]>, usize)>,
    /// Where the names that begin with a byte start in `sorted`; one more at the end.
    first: Vec<u32>,
}

impl Names {
    /// Of equal names the first one counts.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names = names.into_iter().enumerate();
        let mut sorted: Vec<(Box<[u8]>, usize)> =
            names.map(|(at, name)| (name.as_bytes().into(), at)).collect();
        sorted.sort();
        sorted.dedup_by(|later, earlier| later.0 == earlier.0);
        sorted.retain(|(name, _)| !name.is_empty());
        Self { first: begins(&sorted), sorted }
    }

    fn with_first(&self, byte: u8) -> &[(Box<[u8]>, usize)] {
        let bound = |at: usize| self.first.get(at).map_or(0, |at| *at as usize);
        &self.sorted[bound(usize::from(byte))..bound(usize::from(byte) + 1)]
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<usize> {
        let group = self.with_first(*name.first()?);
        group.iter().find(|(known, _)| **known == *name).map(|(_, at)| *at)
    }

    /// Whether a name begins with these bytes; every name begins with none.
    pub(crate) fn has_prefix(&self, begun: &[u8]) -> bool {
        match begun.first() {
            None => !self.sorted.is_empty(),
            Some(byte) => self.with_first(*byte).iter().any(|(known, _)| known.starts_with(begun)),
        }
    }

    /// Whether a name begins with this byte.
    #[inline]
    pub(crate) fn begins(&self, byte: u8) -> bool {
        !self.with_first(byte).is_empty()
    }

    /// What the names begin with.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = u8> {
        self.sorted.iter().map(|(name, _)| name[0])
    }

    pub(crate) fn longest(&self) -> usize {
        self.sorted.iter().map(|(name, _)| name.len()).max().unwrap_or(0)
    }
}

fn begins(sorted: &[(Box<[u8]>, usize)]) -> Vec<u32> {
    if sorted.is_empty() {
        return Vec::new();
    }
    let mut first = vec![0; 257];
    for (name, _) in sorted {
        first[usize::from(name[0]) + 1] += 1;
    }
    for byte in 1..first.len() {
        first[byte] += first[byte - 1];
    }
    first
}
