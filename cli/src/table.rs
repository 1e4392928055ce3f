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
        self.rows.push(cells.into_iter().map(Into::into).collect());
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

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    }
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
    fn sizes_and_counts() {
        assert_eq!([size(999), size(9_120), size(52_428_800)], ["999 B", "9.1 kB", "52.4 MB"]);
        assert_eq!([count(1, "note"), count(0, "note")], ["1 note", "0 notes"]);
    }
}
