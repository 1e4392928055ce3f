//! Where two texts part.
//!
//! In: two texts, or a text and an offset. Out: offsets, lines, columns. Never: cuts a character in two.

/// The start of the character that a byte belongs to; the text's end for what is behind it.
pub fn char_start(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// How many bytes both begin with; the end of a character in both.
pub fn common_prefix(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    char_start(one, same).min(char_start(other, same))
}

/// Line and column of a place, both from 1; the column counts characters.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..char_start(text, at)];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_part_between_characters() {
        for (one, other, at) in
            [("", "a", 0), ("ab", "ab", 2), ("ab", "abc", 2), ("é", "è", 0), ("aé", "aéb", 3)]
        {
            assert_eq!((common_prefix(one, other), common_prefix(other, one)), (at, at), "{one}");
        }
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        for (at, place) in [(0, (1, 1)), (2, (1, 2)), (3, (2, 1)), (9, (2, 2))] {
            assert_eq!(position("é\na", at), place, "{at}");
        }
    }
}
