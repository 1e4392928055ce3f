//! Whether a context is the one that was read last, without reading it again.
//!
//! In: a value of Python. Out: yes, or no. Never: compares texts; takes what can change for what it was.

use promptweave_bindings::Context;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::value::MAX_DEPTH;

/// A context, and the very objects that it was made of.
pub(crate) struct Memo {
    pub(crate) seen: Vec<Seen>,
    pub(crate) context: Context,
}

/// One object of a context, outer ones before inner ones.
pub(crate) enum Seen {
    /// What can never say anything else: it only has to be the same object.
    Leaf(Py<PyAny>),
    /// A dict with so many entries, each a key and a value behind this.
    Dict(usize),
    /// A list with so many items behind this.
    List(usize),
}

impl Memo {
    /// The context, when the value still says the same.
    pub(crate) fn still(&self, value: &Bound<'_, PyAny>) -> Option<Context> {
        let mut seen = self.seen.iter();
        is_same(value, &mut seen).then(|| self.context.clone())
    }
}

impl Seen {
    /// None where something is among the values that tells nobody when it changes, or that nests too deeply to be read.
    pub(crate) fn of(value: &Bound<'_, PyAny>) -> Option<Vec<Self>> {
        let mut seen = Vec::new();
        see(value, &mut seen, 0)?;
        Some(seen)
    }
}

fn see(value: &Bound<'_, PyAny>, seen: &mut Vec<Seen>, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Ok(dict) = value.cast_exact::<PyDict>() {
        seen.push(Seen::Dict(dict.len()));
        return dict.iter().try_for_each(|(key, value)| {
            see(&key, seen, depth + 1)?;
            see(&value, seen, depth + 1)
        });
    }
    if let Ok(list) = value.cast_exact::<PyList>() {
        seen.push(Seen::List(list.len()));
        return list.iter().try_for_each(|item| see(&item, seen, depth + 1));
    }
    let is_leaf = value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>();
    is_leaf.then(|| seen.push(Seen::Leaf(value.clone().unbind())))
}

fn is_same(value: &Bound<'_, PyAny>, seen: &mut std::slice::Iter<'_, Seen>) -> bool {
    match seen.next() {
        Some(Seen::Leaf(leaf)) => value.is(leaf),
        Some(Seen::Dict(length)) => value.cast_exact::<PyDict>().is_ok_and(|dict| {
            let mut entries = dict.iter();
            dict.len() == *length
                && entries.all(|(key, value)| is_same(&key, seen) && is_same(&value, seen))
        }),
        Some(Seen::List(length)) => value.cast_exact::<PyList>().is_ok_and(|list| {
            list.len() == *length && list.iter().all(|item| is_same(&item, seen))
        }),
        None => false,
    }
}
