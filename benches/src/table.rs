//! Prints rows of figures beside their goals.
//!
//! In: a measurement. Out: a line on standard error, and whether all goals are met. Never: measures itself.

use std::process::ExitCode;

use crate::measure::Pair;

/// What is measured must stay below or above.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// At most.
    AtMost(f64),
    /// At least.
    AtLeast(f64),
    /// Worth knowing, and no goal.
    None,
}

/// Rows of figures.
#[derive(Debug)]
pub struct Table {
    /// Words of the command line; without any all rows are measured.
    chosen: Vec<String>,
    missed: usize,
}

impl Table {
    /// The words of the command line choose rows.
    pub fn from_args() -> Self {
        let chosen = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
        eprintln!("{:<58}{:>9} {:>8}", "measured within one run, medians", "measured", "goal");
        Self { chosen, missed: 0 }
    }

    /// Whether the row is asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.chosen.is_empty() || self.chosen.iter().any(|word| name.contains(word.as_str()))
    }

    /// Measures a row and prints it.
    pub fn row(&mut self, name: &str, goal: Goal, measure: impl FnOnce() -> (f64, String)) {
        if !self.wants(name) {
            return;
        }
        let (measured, unit) = measure();
        let (goal, holds) = match goal {
            Goal::AtMost(limit) => (format!("<= {limit}"), Some(measured <= limit)),
            Goal::AtLeast(limit) => (format!(">= {limit}"), Some(measured >= limit)),
            Goal::None => (String::new(), None),
        };
        let verdict = match holds {
            Some(true) => "ok",
            Some(false) => "MISS",
            None => "",
        };
        self.missed += usize::from(holds == Some(false));
        eprintln!("{name:<58}{measured:>9.2} {goal:>8}  {verdict:<5} {unit}");
    }

    /// The exit status: 1 when a goal is missed.
    pub fn verdict(&self) -> ExitCode {
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// The ratio of a pair, and both times.
pub fn times(pair: Pair) -> (f64, String) {
    (pair.ratio(), format!("times; {:.2?} and {:.2?}", pair.ours, pair.theirs))
}
