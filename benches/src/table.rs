//! The table that is printed: what is measured, and whether it holds.
//!
//! In: names, goals, measurements. Out: lines on standard error, and the number of goals that are missed.
//! Never: measures by itself.

use std::process::ExitCode;

use crate::measure::Pair;

/// What is measured must stay below or above.
pub enum Goal {
    /// Not more.
    AtMost(f64),
    /// Not less.
    AtLeast(f64),
    /// Worth knowing, and no goal.
    None,
}

/// The rows that were chosen by words on the command line; without any, all.
pub struct Table {
    chosen: Vec<String>,
    missed: usize,
}

impl Table {
    /// Prints the heads.
    pub fn of_arguments() -> Self {
        let chosen = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
        eprintln!("{:<58}{:>9} {:>8}", "measured within one run, medians", "measured", "goal");
        Self { chosen, missed: 0 }
    }

    /// Whether a row is measured.
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

    /// Failure when a goal is missed.
    pub fn verdict(&self) -> ExitCode {
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// A ratio and its two times.
pub fn times(pair: Pair) -> (f64, String) {
    (pair.ratio(), format!("times; {:.2?} and {:.2?}", pair.ours, pair.theirs))
}
