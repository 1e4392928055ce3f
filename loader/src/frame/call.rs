//! A call of several items, and the answer of one.

use promptweave_abi::ValueKind;

use super::{Decoder, Encoder, Malformed};
use crate::answer::{Answer, Origin, Outcome, Report};

/// What the child is asked, borrowed on both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Call<'a> {
    /// What `variant()` shows, as a JSON object.
    pub(crate) variant: &'a str,
    /// The whole context as JSON, when an item wants it.
    pub(crate) context: &'a str,
    pub(crate) values: Vec<Value<'a>>,
    pub(crate) sections: Vec<(&'a str, &'a str)>,
    pub(crate) items: Vec<CallItem<'a>>,
}

/// The value at a declared key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value<'a> {
    pub(crate) key: &'a str,
    pub(crate) kind: ValueKind,
    /// A string's own bytes; JSON text for other kinds.
    pub(crate) text: std::borrow::Cow<'a, str>,
}

/// One item of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallItem<'a> {
    /// Its place in the plugin's own table.
    pub(crate) at: u32,
    /// Of a helper: a JSON array.
    pub(crate) args: &'a str,
    /// How long it may take.
    pub(crate) budget_us: u64,
}

impl<'a> Call<'a> {
    /// Everything but the items, which follow.
    pub(crate) fn put_head(&self, out: &mut Encoder) {
        out.text(self.variant).text(self.context);
        out.all(&self.values, |out, value| {
            out.text(value.key).u32(value.kind.0).text(&value.text);
        });
        out.all(&self.sections, |out, (id, text)| {
            out.text(id).text(text);
        });
    }

    /// The items, behind the head.
    pub(crate) fn put_items(items: &[CallItem<'_>], out: &mut Encoder) {
        out.all(items, |out, item| {
            out.u32(item.at).text(item.args).u64(item.budget_us);
        });
    }

    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Decoder::new(bytes);
        let call = Self {
            variant: from.text()?,
            context: from.text()?,
            values: from.all(|from| {
                let (key, kind, text) = (from.text()?, ValueKind(from.u32()?), from.text()?);
                Ok(Value { key, kind, text: text.into() })
            })?,
            sections: from.all(|from| Ok((from.text()?, from.text()?)))?,
            items: from.all(|from| {
                Ok(CallItem { at: from.u32()?, args: from.text()?, budget_us: from.u64()? })
            })?,
        };
        from.end()?;
        Ok(call)
    }
}

const NOTHING: u8 = 0;
const TEXT: u8 = 1;
const FAILED: u8 = 2;

/// Writes the answer of the item at that place of the table.
pub(crate) fn put_answer(at: u32, answer: &Answer, out: &mut Encoder) {
    let (kind, text) = match &answer.outcome {
        Outcome::Nothing => (NOTHING, ""),
        Outcome::Text(text) => (TEXT, text.as_str()),
        Outcome::Failed(why) => (FAILED, why.as_str()),
    };
    out.u32(at).u8(kind).text(text);
    out.all(&answer.reports, |out, Report { severity, code, message, help }| {
        out.u32(*severity).text(code).text(message).text(help);
    });
    out.all(&answer.origins, |out, Origin { start, end, path, line }| {
        out.u64(*start).u64(*end).text(path).u32(*line);
    });
    out.all(answer.volatile.as_slice(), |out, reason| {
        out.text(reason);
    });
    out.all(&answer.undeclared, |out, key| {
        out.text(key);
    });
}

/// Reads the answer of the item at that place; that of another one is none.
pub(crate) fn answer(at: u32, bytes: &[u8]) -> Result<Answer, Malformed> {
    let mut from = Decoder::new(bytes);
    if from.u32()? != at {
        return Err(Malformed("an answer of another item"));
    }
    let (kind, text) = (from.u8()?, from.text()?.to_owned());
    let outcome = match kind {
        NOTHING => Outcome::Nothing,
        TEXT => Outcome::Text(text),
        FAILED => Outcome::Failed(text),
        _ => return Err(Malformed("an answer of an unknown kind")),
    };
    let owned = |from: &mut Decoder<'_>| from.text().map(str::to_owned);
    let reports = from.all(|from| {
        let severity = from.u32()?;
        Ok(Report { severity, code: owned(from)?, message: owned(from)?, help: owned(from)? })
    })?;
    let origins = from.all(|from| {
        Ok(Origin { start: from.u64()?, end: from.u64()?, path: owned(from)?, line: from.u32()? })
    })?;
    let volatile = from.all(owned)?.into_iter().next();
    let undeclared = from.all(owned)?;
    from.end()?;
    Ok(Answer { outcome, reports, origins, volatile, undeclared })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn answers_survive_the_trip(
            kind in 0..3u8, text in ".*", code in "[a-z]*", line in any::<u32>(), start in any::<u64>(),
            volatile in proptest::option::of(".*"), undeclared in proptest::collection::vec(".*", 0..4),
        ) {
            let outcome = match kind {
                0 => Outcome::Nothing,
                1 => Outcome::Text(text.clone()),
                _ => Outcome::Failed(text.clone()),
            };
            let report = Report { severity: line, code, message: text.clone(), help: String::new() };
            let origin = Origin { start, end: start, path: text, line };
            let whole = Answer { outcome, reports: vec![report], origins: vec![origin], volatile, undeclared };
            let mut out = Encoder::default();
            put_answer(line, &whole, &mut out);
            prop_assert_eq!(answer(line, &out.0), Ok(whole));
            prop_assert!(answer(line.wrapping_add(1), &out.0).is_err());
            for cut in 0..out.0.len() {
                prop_assert!(answer(line, &out.0[..cut]).is_err());
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = answer(0, &bytes);
            let _ = Call::read(&bytes);
        }
    }

    #[test]
    fn calls_survive_the_trip() {
        let value = Value { key: "cwd", kind: ValueKind::STRING, text: "/home".into() };
        let item = CallItem { at: 3, args: "[1]", budget_us: 200 };
        let call = Call {
            variant: "{}",
            context: "",
            values: vec![value],
            sections: vec![("rules", "text")],
            items: vec![item, item],
        };
        let mut out = Encoder::default();
        call.put_head(&mut out);
        Call::put_items(&call.items, &mut out);
        assert_eq!(Call::read(&out.0), Ok(call));
    }
}
