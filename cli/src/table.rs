//! Aligns cells in columns.

/// Rows of cells, padded to the width of their column; the last column is not padded.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Starts with a line of heads.
    pub(crate) fn with_heads(heads: &[&str]) -> Self {
        let mut table = Self::default();
        table.row(heads.iter().map(|head| head.to_uppercase()));
        table
    }

    /// Adds a row.
    pub(crate) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(|cell| visible(&cell.into())).collect());
    }

    /// The lines; blanks at their ends are cut.
    pub(crate) fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns).map(|column| self.width(column)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width + 2 - cell.chars().count()));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The same below a head: two blanks before each line.
    pub(crate) fn indented(&self) -> String {
        self.text().lines().map(|line| format!("  {line}\n")).collect()
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    }
}

/// A text on one line that does nothing to a terminal: what would is written out, as `\n` or `\u{1b}`.
///
/// Names of files and keys are as free as their authors.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => shown.push('\t'),
            acting if acts(acting) => shown.extend(acting.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

/// Control characters, line ends, and what turns the direction of reading.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// A count with its noun: `1 section`, `2 sections`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A size for people: bytes below 1,000, else kB or MB with one decimal.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns() {
        let mut table = Table::with_heads(&["id", "origin"]);
        table.row(["größe", "a"]);
        table.row(["x", ""]);
        assert_eq!(table.text(), "ID     ORIGIN\ngröße  a\nx\n");
    }

    #[test]
    fn control_characters_are_written_out() {
        for (text, shown) in [
            ("a\n", "a\\n"),
            ("\t\u{1b}[31m é\u{7}", "\t\\u{1b}[31m é\\u{7}"),
            ("a\rb", "a\\rb"),
            ("\u{202e}a\u{2066}", "\\u{202e}a\\u{2066}"),
        ] {
            assert_eq!(visible(text), shown);
        }
        let mut table = Table::default();
        table.row(["a\u{1b}[2J\nb", "c"]);
        assert_eq!(table.text(), "a\\u{1b}[2J\\nb  c\n");
    }

    #[test]
    fn sizes_and_counts() {
        assert_eq!([size(999), size(9_120), size(52_428_800)], ["999 B", "9.1 kB", "52.4 MB"]);
        assert_eq!([count(1, "note"), count(0, "note")], ["1 note", "0 notes"]);
    }
}
