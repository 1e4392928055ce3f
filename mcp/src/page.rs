//! Cuts lists into pages.
//!
//! In: a list with a name for each item, a cursor. Out: a page, and the cursor of the next. Never: skips or repeats an item while
//! the list stays the same.

use rmcp::model::PaginatedRequestParams;

use crate::refusal::Refusal;

/// Few clients ask for a second page.
const PAGE: usize = 1000;

/// The page that a request asks for. A cursor is the name of the last item before it.
pub(crate) fn page<T>(
    items: Vec<T>,
    name: impl Fn(&T) -> &str,
    asked: Option<PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), Refusal> {
    let start = match asked.and_then(|asked| asked.cursor) {
        None => 0,
        Some(cursor) => {
            let last = items.iter().position(|item| name(item) == cursor);
            last.map(|last| last + 1).ok_or_else(|| {
                Refusal::arguments("the cursor leads nowhere")
                    .help("the list has changed: begin anew")
            })?
        }
    };
    let more = items.len() > start + PAGE;
    let items: Vec<T> = items.into_iter().skip(start).take(PAGE).collect();
    let next = items.last().filter(|_| more).map(|last| name(last).to_owned());
    Ok((items, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_in_pages() {
        let all: Vec<String> = (0..2 * PAGE + 1).map(|at| format!("item {at}")).collect();
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let asked = PaginatedRequestParams::default().with_cursor(cursor);
            let (items, next) = page(all.clone(), |item| item, Some(asked)).unwrap();
            seen.extend(items);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, all);
        let lost = PaginatedRequestParams::default().with_cursor(Some("gone".into()));
        assert!(page(all, |item| item, Some(lost)).is_err());
    }
}
