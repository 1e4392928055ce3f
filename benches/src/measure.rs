//! Measures two pieces of work in turns, so that what disturbs one disturbs the other.
//!
//! In: two closures. Out: the median time of each. Never: compares times of different runs.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often the two take turns at least.
const ROUNDS: usize = 301;
/// How long one turn takes at least; shorter work is repeated. Short turns are seldom interrupted.
const TURN: Duration = Duration::from_micros(200);
/// Rounds end after that, but not before there are [`FEWEST_ROUNDS`].
const PATIENCE: Duration = Duration::from_secs(4);
const FEWEST_ROUNDS: usize = 15;

/// The median times of one call each.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Of the first.
    pub ours: Duration,
    /// Of the second.
    pub theirs: Duration,
}

impl Pair {
    /// How many times as long as the second the first takes.
    pub fn ratio(self) -> f64 {
        self.ours.as_secs_f64() / self.theirs.as_secs_f64()
    }
}

/// Measures both in turns.
pub fn pair<A, B>(mut ours: impl FnMut() -> A, mut theirs: impl FnMut() -> B) -> Pair {
    let (our_repeats, their_repeats) = (repeats(&mut ours), repeats(&mut theirs));
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    let started = Instant::now();
    for round in 0..ROUNDS {
        if round >= FEWEST_ROUNDS && started.elapsed() > PATIENCE {
            break;
        }
        our_times.push(turn(&mut ours, our_repeats));
        their_times.push(turn(&mut theirs, their_repeats));
    }
    Pair { ours: median(our_times), theirs: median(their_times) }
}

/// Measures both in turns of one call, so many times: for work that takes long.
pub fn pair_in_rounds<A, B>(
    rounds: usize,
    mut ours: impl FnMut() -> A,
    mut theirs: impl FnMut() -> B,
) -> Pair {
    let turns: Vec<_> = (0..rounds).map(|_| (turn(&mut ours, 1), turn(&mut theirs, 1))).collect();
    let (our_times, their_times) = turns.into_iter().unzip();
    Pair { ours: median(our_times), theirs: median(their_times) }
}

/// Measures the same work on two inputs in turns, a call a turn; the work may keep its input.
pub fn pair_of_inputs<I: Clone, O>(ours: &I, theirs: &I, mut work: impl FnMut(I) -> O) -> Pair {
    let mut turn = |input: &I| {
        let input = input.clone();
        let started = Instant::now();
        black_box(work(input));
        started.elapsed()
    };
    let turns: Vec<_> = (0..FEWEST_ROUNDS).map(|_| (turn(ours), turn(theirs))).collect();
    let (our_times, their_times) = turns.into_iter().unzip();
    Pair { ours: median(our_times), theirs: median(their_times) }
}

/// The median time of one call.
pub fn alone<T>(mut work: impl FnMut() -> T) -> Duration {
    let repeats = repeats(&mut work);
    median((0..ROUNDS).map(|_| turn(&mut work, repeats)).collect())
}

/// Work that costs nothing would be repeated for ever.
const MOST_REPEATS: u32 = 1 << 24;

fn repeats<T>(work: &mut impl FnMut() -> T) -> u32 {
    let mut repeats = 1;
    while repeats < MOST_REPEATS && turn(work, repeats) * repeats < TURN {
        repeats *= 2;
    }
    repeats
}

/// The time of one call in a turn of several.
fn turn<T>(work: &mut impl FnMut() -> T, repeats: u32) -> Duration {
    let started = Instant::now();
    for _ in 0..repeats {
        black_box(work());
    }
    started.elapsed() / repeats
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
