//! Writes a text as a TOML string that reads back byte for byte.

use std::fmt::Write;

/// A TOML string, as readable as its text allows.
pub(super) fn toml_string(text: &str) -> String {
    let plain = |character: char| character == '\t' || !character.is_control();
    let literal = !text.contains("'''") && !text.ends_with('\'');
    if text.chars().all(plain) && !text.contains(['"', '\\']) {
        return format!("\"{text}\"");
    }
    if literal && text.chars().all(|character| character == '\n' || plain(character)) {
        // The first line end behind the quotes is no part of the string.
        return format!("'''\n{text}'''");
    }
    escaped(text)
}

fn escaped(text: &str) -> String {
    let mut quoted = String::from("\"\"\"\n");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            // A bare one is refused, and editors rewrite one that ends a line.
            '\r' => quoted.push_str("\\r"),
            '\n' | '\t' => quoted.push(character),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push_str("\"\"\"");
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_back(text: &str) -> String {
        let table: toml::Table =
            toml::from_str(&format!("text = {}\n", toml_string(text))).unwrap();
        table["text"].as_str().unwrap().to_owned()
    }

    #[test]
    fn readable_where_it_can_be() {
        for (text, quoted) in [
            ("plain", "\"plain\""),
            ("a \"b\"", "'''\na \"b\"'''"),
            ("a\nb\n", "'''\na\nb\n'''"),
            ("it's'", "\"it's'\""),
            ("it's\n'", "\"\"\"\nit's\n'\"\"\""),
            ("a\r\n", "\"\"\"\na\\r\n\"\"\""),
        ] {
            assert_eq!(toml_string(text), quoted);
            assert_eq!(read_back(text), text);
        }
    }

    proptest! {
        #[test]
        fn reads_back(text in "([a '\"\\\\\r\n\t{}#\u{0}\u{7f}\u{85}é]|''')*") {
            prop_assert_eq!(read_back(&text), text);
        }
    }
}
