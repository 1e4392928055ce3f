//! Finds the name that was likely meant.
//!
//! In: a name and the known ones. Out: the nearest of them, when it is near. Never: allocates per pair.

const MAX_BYTES: usize = 64;

/// The known name nearest to `name`, at most a third of its letters away.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    within(name, known, (name.len() / 3).clamp(1, 3))
}

/// The known name nearest to `name`, at most `limit` steps away: letters more, less, changed, swapped.
pub(crate) fn within<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    limit: usize,
) -> Option<&'k str> {
    if name.len() > MAX_BYTES {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(far, _)| far <= limit)
        // Of two that are as near, the one as long: a swap is likelier than a letter too many.
        .min_by_key(|&(far, near)| (far, near.len().abs_diff(name.len())))
        .map(|(_, candidate)| candidate)
}

/// A help line: the nearest known name, else `otherwise`.
pub(crate) fn did_you_mean<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(name, known).map_or_else(otherwise, |near| format!("did you mean `{near}`?"))
}

/// Names in backticks, with commas; of many, the first few.
pub(crate) fn listed<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    const SHOWN: usize = 24;
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.count() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Edit distance in bytes; a swap of two neighbours counts as one step.
fn distance(left: &str, right: &str) -> usize {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len().abs_diff(right.len()) > 3 || right.len() > MAX_BYTES {
        return usize::MAX;
    }
    let mut rows = [[0_usize; MAX_BYTES + 1]; 3];
    for (column, cell) in rows[0].iter_mut().enumerate() {
        *cell = column;
    }
    for (row, &byte) in left.iter().enumerate() {
        let (now, above, higher) = ((row + 1) % 3, row % 3, (row + 2) % 3);
        rows[now][0] = row + 1;
        for (column, &other) in right.iter().enumerate() {
            let change = rows[above][column] + usize::from(byte != other);
            let mut best = change.min(rows[above][column + 1] + 1).min(rows[now][column] + 1);
            let swapped =
                row > 0 && column > 0 && byte == right[column - 1] && left[row - 1] == other;
            if swapped {
                best = best.min(rows[higher][column - 1] + 1);
            }
            rows[now][column + 1] = best;
        }
    }
    rows[left.len() % 3][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let known = ["mode", "model", "order", "separator", "tools", "tool_calls"];
        for (name, near) in [
            ("ordre", Some("order")),
            ("tool", Some("tools")),
            ("seperator", Some("separator")),
            ("modle", Some("model")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), near, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(100), known), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
