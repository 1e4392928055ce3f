//! Engines, sessions, prompts and parsers of one thread of JavaScript, by number.
//!
//! In: things. Out: their numbers, and the things again. Never: shares anything between threads; a number is given anew when
//! its thing is gone, which `js/` knows.

use std::cell::RefCell;
use std::thread::LocalKey;

use napi::{Env, Result};
use promptweave_bindings::Engine;

use crate::error::closed;
use crate::parser::Cutter;
use crate::prompt::Built;
use crate::session::Talk;

/// Things of one kind.
pub(crate) struct Table<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Table<T> {
    const fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    fn put(&mut self, thing: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.places[number as usize] = Some(thing);
            return number;
        }
        self.places.push(Some(thing));
        self.places.len() as u32 - 1
    }

    fn take(&mut self, number: u32) -> Option<T> {
        let thing = self.places.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(thing)
    }

    fn get(&mut self, number: u32) -> Option<&mut T> {
        self.places.get_mut(number as usize)?.as_mut()
    }
}

/// What is kept in a table.
pub(crate) trait Kept: Sized + 'static {
    /// What messages call it.
    const NAME: &'static str;

    /// Where it is kept.
    fn table() -> &'static LocalKey<RefCell<Table<Self>>>;

    /// About how many bytes it holds that JavaScript does not see: they hasten its garbage collector.
    fn bytes(&self) -> usize;
}

macro_rules! kept {
    ($kind:ty, $table:ident, $name:literal, $bytes:expr) => {
        thread_local! {
            static $table: RefCell<Table<$kind>> = const { RefCell::new(Table::new()) };
        }

        impl Kept for $kind {
            const NAME: &'static str = $name;

            fn table() -> &'static LocalKey<RefCell<Table<Self>>> {
                &$table
            }

            fn bytes(&self) -> usize {
                let bytes: fn(&Self) -> usize = $bytes;
                bytes(self)
            }
        }
    };
}

kept!(Engine, ENGINES, "engine", |_| 1 << 20);
kept!(Talk, SESSIONS, "session", |_| 1 << 16);
kept!(Built, PROMPTS, "prompt", |built| (1 << 13) + 2 * built.0.text().len());
kept!(Cutter, PARSERS, "parser", |_| 1 << 13);

/// Keeps a thing until it is closed.
pub(crate) fn keep<T: Kept>(env: &Env, thing: T) -> Result<u32> {
    env.adjust_external_memory(thing.bytes() as i64)?;
    Ok(T::table().with_borrow_mut(|table| table.put(thing)))
}

/// Lets go of a thing.
pub(crate) fn close<T: Kept>(env: &Env, number: u32) -> Result<()> {
    let thing = T::table().with_borrow_mut(|table| table.take(number));
    let thing = thing.ok_or_else(|| closed(T::NAME))?;
    env.adjust_external_memory(-(thing.bytes() as i64))?;
    Ok(())
}

/// Uses a thing where it is; what is done there calls no JavaScript.
pub(crate) fn with<T: Kept, R>(number: u32, use_it: impl FnOnce(&mut T) -> R) -> Result<R> {
    T::table().with_borrow_mut(|table| table.get(number).map(use_it)).ok_or_else(|| closed(T::NAME))
}

/// The thing of that number.
pub(crate) fn of<T: Kept + Clone>(number: u32) -> Result<T> {
    with(number, |thing: &mut T| thing.clone())
}
