//! The chain of replacements that packs written for the classic host expect, byte for byte.
//!
//! In: any text, values and verbatim parts included. Out: what eleven regular expressions with JavaScript's
//! semantics would leave of it, in time linear in the text.
//! Never: runs a regular expression; each step finds its edits by scanning.

mod diff;
mod hinges;
mod steps;
mod white;

use super::MAX_BYTES;
use super::edit::{Edits, Spare};
use crate::trace::Traced;
use steps::Run;

/// A replacement of the chain: finds its edits in the text that it gets.
enum Step {
    Lines(fn(&[u8], &mut Edits)),
    /// Looks at the runs of `=`.
    Runs(fn(&[u8], &[Run], &mut Edits)),
    /// Looks also for traces of a diff around each place that it might edit.
    Windowed(fn(&[u8], &[Run], &mut Edits)),
}

/// Steps 1 and 2, which are also 10 and 11.
const SPACE: [Step; 2] = [Step::Lines(steps::collapse_blank_lines), Step::Lines(steps::trim)];

/// Steps 3 to 9, but for the seventh (`/\n##\s*$[\r\n]*/gm`): the sixth leaves nothing to it.
const SECTIONS: [Step; 6] = [
    Step::Lines(steps::drop_last_run),
    Step::Runs(steps::join_run_lines),
    Step::Runs(steps::join_runs),
    Step::Lines(steps::drop_empty_headings),
    Step::Windowed(steps::space_after_runs),
    Step::Windowed(steps::space_before_runs),
];

/// Runs the chain over a text with pieces and marks.
pub(crate) fn classic(traced: Traced) -> Traced {
    if traced.text.len() > MAX_BYTES {
        return traced;
    }
    let mut chain = Chain { traced, ..Chain::default() };
    chain.run(&SPACE);
    if chain.run(&SECTIONS) {
        chain.run(&SPACE);
    } else {
        // Nothing to find, but the hinges may not tell so.
        chain.move_hinges(false);
    }
    chain.traced.drop_empty_pieces();
    chain.traced
}

/// Runs the chain over a plain text.
pub(crate) fn classic_text(text: impl Into<String>) -> String {
    classic(Traced { text: text.into(), ..Traced::default() }).text
}

/// A text on its way through the chain.
#[derive(Default)]
struct Chain {
    traced: Traced,
    edits: Edits,
    spare: Spare,
    /// The runs of the text, where `knows_runs`.
    runs: Vec<Run>,
    knows_runs: bool,
}

impl Chain {
    /// Runs `steps`, and tells whether they edited anything.
    fn run(&mut self, steps: &[Step]) -> bool {
        let mut has_edited = false;
        for step in steps {
            self.move_hinges(matches!(step, Step::Windowed(_)));
            self.edits.clear();
            match step {
                Step::Lines(find) => find(self.traced.text.as_bytes(), &mut self.edits),
                Step::Runs(find) | Step::Windowed(find) => {
                    self.find_runs();
                    find(self.traced.text.as_bytes(), &self.runs, &mut self.edits);
                }
            }
            if !self.edits.is_empty() {
                self.edits.apply(&mut self.traced, &mut self.spare);
                (self.knows_runs, has_edited) = (false, true);
            }
        }
        has_edited
    }

    fn move_hinges(&mut self, is_windowed: bool) {
        hinges::move_back(self.traced.text.as_bytes(), &mut self.traced.marks, is_windowed);
    }

    fn find_runs(&mut self) {
        if !self.knows_runs {
            steps::find_runs(self.traced.text.as_bytes(), &mut self.runs);
            self.knows_runs = true;
        }
    }
}
