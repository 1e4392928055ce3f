//! The face: chunks in, events and blocks out.
//!
//! In: bytes, or a provider's own events. Out: what changed, and all that there is. Never: reads a clock, a file or
//! anything but its input.

use std::borrow::Cow;
use std::sync::Arc;

use crate::buffer::Span;
use crate::dialect::{Dialect, Grammar};
use crate::event::StopReason;
use crate::events::Events;
use crate::exact::Exact;
use crate::robust::{Choice, NativeEvent, Options, Robust, Room};
use crate::specs::Specs;
use crate::store::{Grown, Store};
use crate::view::{Blocks, View};

/// Cuts one reply into blocks. Make a new one for each reply.
#[derive(Debug)]
pub struct Parser {
    store: Store,
    specs: Specs,
    dialect: Dialect,
    options: Options,
    machine: Machine,
    phase: Phase,
    /// What the last push did to what grows; [`Grown::Not`] after all else.
    last: Grown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    Ended,
}

#[derive(Debug)]
enum Machine {
    Exact(Box<Exact>),
    /// Made at the first push, when the options are known.
    Ready,
    Robust(Box<Robust>, Arc<Grammar>),
    /// Exact mode, while the other takes a provider's events.
    Beside(Box<Exact>, Box<Robust>, Arc<Grammar>),
}

impl Parser {
    /// Robust mode, in all built-in dialects.
    pub fn new(specs: Specs) -> Self {
        Self {
            store: Store::default(),
            specs,
            dialect: Dialect::Auto,
            options: Options::default(),
            machine: Machine::Ready,
            phase: Phase::Running,
            last: Grown::Not,
        }
    }

    /// Exact mode: the same blocks as `parseAssistantMessageV2` of Cline gives, for every prefix of the reply. All
    /// parameters are known in all tools; dialect and options do not matter.
    pub fn exact<S: AsRef<str>>(tools: &[S], params: &[S]) -> Self {
        let specs = Specs::from_names(tools, &[], &[]);
        let params = params.iter().map(S::as_ref).filter(|name| crate::specs::usable(name));
        let exact = Exact::new(&specs, params);
        Self { machine: Machine::Exact(Box::new(exact)), ..Self::new(specs) }
    }

    /// Looks for one dialect alone, or for all of them.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Accepts a call in a code fence that holds this call and nothing else, for models that fence what they mean.
    #[must_use]
    pub fn fenced_calls(mut self) -> Self {
        self.options.fenced_calls = Choice::On;
        self
    }

    /// The prompt's template has opened the reasoning already: only its closer is in the reply.
    #[must_use]
    pub fn starts_in_reasoning(mut self) -> Self {
        self.options.starts_in_reasoning = Choice::On;
        self
    }

    /// A call ends reasoning, for models that forget its closer. Otherwise calls in reasoning are thoughts.
    #[must_use]
    pub fn call_ends_reasoning(mut self) -> Self {
        self.options.call_ends_reasoning = Choice::On;
        self
    }

    /// Expects this text at the end of each tag that is a name: `<read_file-x7k>`. If the prompt asks for a suffix that
    /// is drawn anew for each message, no file that the model writes can hold such a tag by chance.
    #[must_use]
    pub fn tag_suffix(mut self, suffix: impl Into<String>) -> Self {
        self.options.suffix = suffix.into();
        self
    }

    /// Takes a chunk, which may end anywhere, also inside a character. Costs what the chunk costs.
    ///
    /// After [`Parser::finish`] nothing is taken any more.
    #[inline(always)]
    pub fn push(&mut self, chunk: impl AsRef<[u8]>) -> Events<'_> {
        let chunk = chunk.as_ref();
        self.last = self.store.grow(chunk);
        if self.last == Grown::Not {
            self.push_more(chunk);
        }
        self.events()
    }

    /// Takes a chunk that needs a machine.
    #[inline(never)]
    fn push_more(&mut self, chunk: &[u8]) {
        self.store.log.clear();
        let Self { store, specs, .. } = self;
        match &mut self.machine {
            _ if self.phase == Phase::Ended => {}
            Machine::Robust(robust, grammar) => {
                let room = &mut Room { store, grammar, specs };
                if !robust.absorb(room, chunk) {
                    robust.advance(room);
                }
            }
            Machine::Exact(exact) => exact.push(store, specs, chunk),
            Machine::Ready | Machine::Beside(..) => {
                store.buffer.push(chunk);
                self.advance();
            }
        }
    }

    /// The machine takes over what has grown without it.
    fn catch_up(&mut self) {
        let to = self.store.buffer.len();
        match &mut self.machine {
            Machine::Exact(exact) => exact.catch_up(&mut self.store, to),
            Machine::Robust(robust, _) => robust.catch_up(&mut self.store, to),
            Machine::Ready | Machine::Beside(..) => {}
        }
    }

    fn advance(&mut self) {
        match &mut self.machine {
            Machine::Exact(exact) => exact.advance(&mut self.store, &self.specs),
            Machine::Robust(robust, grammar) => {
                robust.advance(&mut Room { store: &mut self.store, grammar, specs: &self.specs });
            }
            Machine::Beside(..) => {
                self.end_beside();
                self.advance();
            }
            Machine::Ready => {
                self.make();
                self.advance();
            }
        }
    }

    fn make(&mut self) {
        // Each table was checked when it was read; a suffix adds nothing that can fail.
        let grammar = self.dialect.grammar(&self.options.suffix).unwrap_or_else(Grammar::nothing);
        let robust = Robust::new(self.options.clone());
        self.machine = Machine::Robust(Box::new(robust), grammar);
    }

    /// Takes an event that the provider gives beside the text, or instead of it. Text and reasoning that come so are
    /// not searched for tags, except for text in exact mode. What `push` took before and what is undecided of it is
    /// decided now, as at the end.
    pub fn push_event(&mut self, event: NativeEvent<'_>) -> Events<'_> {
        self.last = Grown::Not;
        self.store.log.clear();
        if self.phase == Phase::Running {
            self.catch_up();
            self.take(event);
        }
        self.events()
    }

    fn take(&mut self, event: NativeEvent<'_>) {
        match (&mut self.machine, event) {
            (Machine::Ready, _) => {
                self.make();
                self.take(event);
            }
            (Machine::Exact(_) | Machine::Beside(..), NativeEvent::Text(text)) => {
                self.end_beside();
                self.store.buffer.push(text.as_bytes());
                self.advance();
            }
            (Machine::Exact(_), _) => {
                self.begin_beside();
                self.take(event);
            }
            (Machine::Robust(robust, grammar) | Machine::Beside(_, robust, grammar), event) => {
                robust
                    .take(&mut Room { store: &mut self.store, grammar, specs: &self.specs }, event);
            }
        }
    }

    /// Exact mode knows no events: another machine takes them, in turns with it.
    fn begin_beside(&mut self) {
        if let Machine::Exact(mut exact) = std::mem::replace(&mut self.machine, Machine::Ready) {
            self.store.buffer.end();
            exact.settle(&mut self.store);
            let mut beside = Box::new(Robust::new(Options::default()));
            beside.resume(&self.store);
            self.machine = Machine::Beside(exact, beside, Grammar::nothing());
        }
    }

    fn end_beside(&mut self) {
        match std::mem::replace(&mut self.machine, Machine::Ready) {
            Machine::Beside(mut exact, mut beside, grammar) => {
                let store = &mut self.store;
                beside.settle(&mut Room { store, grammar: &grammar, specs: &self.specs });
                exact.resume(&self.store);
                self.machine = Machine::Exact(exact);
            }
            machine => self.machine = machine,
        }
    }

    /// Ends the stream. Text and reasoning are complete then; a call that is open is not, and never will be.
    pub fn finish(&mut self, reason: StopReason) -> Events<'_> {
        self.last = Grown::Not;
        self.store.log.clear();
        if self.phase == Phase::Running {
            self.catch_up();
            self.store.buffer.end();
            self.advance();
            match &mut self.machine {
                Machine::Exact(exact) => exact.finish(&mut self.store, &self.specs, reason),
                Machine::Robust(robust, grammar) => {
                    let room = &mut Room { store: &mut self.store, grammar, specs: &self.specs };
                    robust.finish(room, reason);
                }
                Machine::Ready | Machine::Beside(..) => {}
            }
            self.store.tip = None;
            self.phase = Phase::Ended;
        }
        self.events()
    }

    fn view(&self) -> View<'_> {
        View { store: &self.store, specs: &self.specs }
    }

    /// The events of the last push or of the end, once more.
    #[inline]
    pub fn events(&self) -> Events<'_> {
        let records: &[_] = match self.last {
            Grown::Told => &self.store.grown,
            Grown::Kept => &[],
            Grown::Not => &self.store.log,
        };
        Events { view: self.view(), records: records.iter() }
    }

    /// The blocks so far, borrowed. In robust mode nothing in them is taken back, except in a call that says
    /// `repaired`; what is undecided is not in them yet.
    #[inline]
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks::new(self.view())
    }

    /// The tools that are looked for.
    pub fn specs(&self) -> &Specs {
        &self.specs
    }

    /// The raw input in order, a slice for each block with its index; what stands before the first block belongs to
    /// it, and to none if there is no block. All slices joined are the input.
    pub fn raw(&self) -> impl Iterator<Item = (Option<usize>, Cow<'_, [u8]>)> {
        let count = self.store.blocks.len();
        (0..count.max(1)).map(move |index| {
            let end =
                self.store.blocks.get(index + 1).map_or(self.store.buffer.len(), |next| next.raw);
            let start = match index {
                0 => 0,
                _ => self.store.blocks[index].raw,
            };
            let mut slice = Cow::Borrowed(self.store.buffer.slice(Span::new(start, end)));
            if index + 1 == count.max(1) && !self.store.buffer.begun().is_empty() {
                slice.to_mut().extend_from_slice(self.store.buffer.begun());
            }
            (self.store.blocks.get(index).map(|_| index), slice)
        })
    }

    /// How many bytes it holds for this reply: at most twice the input and 256 for each block and parameter.
    pub fn memory(&self) -> usize {
        self.store.memory()
    }
}
