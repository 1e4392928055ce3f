//! The names of an ELF file, looked up without running through it.
//!
//! In: the bytes of a string table. Out: names. Never: looks for a name's end further than a name is long,
//! for a hostile table has none.

use super::{MAX_NAME_BYTES, ObjectError};

/// A table of names that end with a NUL byte.
#[derive(Clone, Copy, Default)]
pub(super) struct Strings<'b>(pub(super) &'b [u8]);

impl<'b> Strings<'b> {
    /// The name at an offset.
    pub(super) fn get(self, at: u64) -> Result<&'b [u8], ObjectError> {
        let broken = || ObjectError::Broken("a name is outside of its table, or too long".into());
        let at = usize::try_from(at).ok();
        let rest = at.and_then(|at| self.0.get(at..)).ok_or_else(broken)?;
        let rest = rest.get(..=MAX_NAME_BYTES).unwrap_or(rest);
        let end = rest.iter().position(|&byte| byte == 0).ok_or_else(broken)?;
        Ok(&rest[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_in_time() {
        let long =
            [&[b'x'; MAX_NAME_BYTES][..], b"\0", &[b'y'; MAX_NAME_BYTES + 1], b"\0"].concat();
        let strings = Strings(&long);
        assert_eq!(strings.get(0).unwrap().len(), MAX_NAME_BYTES);
        assert_eq!(strings.get(MAX_NAME_BYTES as u64).unwrap(), b"");
        for at in [MAX_NAME_BYTES as u64 + 1, long.len() as u64, u64::MAX] {
            assert!(strings.get(at).is_err());
        }
        assert!(Strings(b"abc").get(0).is_err(), "without an end");
    }
}
