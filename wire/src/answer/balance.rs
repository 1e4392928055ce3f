//! Tells whether a JSON text is whole, piece by piece.
//!
//! In: pieces. Out: whether all that was opened is closed. Never: keeps the text, or says that it is valid.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum In {
    #[default]
    Structure,
    String,
    Escape,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    depth: usize,
    at: In,
    /// Objects and lists that were closed at the top.
    closed: usize,
}

impl Balance {
    pub(super) fn push(&mut self, piece: &str) {
        for byte in piece.bytes() {
            self.at = match (self.at, byte) {
                (In::Escape, _) => In::String,
                (In::String, b'\\') => In::Escape,
                (In::String, b'"') => In::Structure,
                (In::String, _) => In::String,
                (In::Structure, b'"') => In::String,
                (In::Structure, byte) => {
                    self.structure(byte);
                    In::Structure
                }
            };
        }
    }

    fn structure(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.closed += usize::from(self.depth == 1);
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// One value was closed, and nothing is open.
    pub(super) fn is_whole(&self) -> bool {
        self.closed > 0 && self.depth == 0 && self.at == In::Structure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_hide_brackets() {
        for (text, whole) in [
            ("", false),
            ("{}", true),
            (r#"{"a":"}"#, false),
            (r#"{"a":"\"}"}"#, true),
            ("{{}", false),
        ] {
            let mut balance = Balance::default();
            text.split_inclusive(|_| true).for_each(|piece| balance.push(piece));
            assert_eq!(balance.is_whole(), whole, "{text}");
        }
    }
}
