//! Reads files of model data.
//!
//! In: the text of a file. Out: [`ModelData`], and a diagnostic for every mistake. Never: loses a table for a bad key.

use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;

use super::fields::{Table, Value};
use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic, SourceFile};
use crate::facts::{
    Betas, Encoding, Errs, Family, Marks, ModelData, Price, PromptRole, Provider, Stated, Ttl,
};

/// The file that comes with the engine.
const SHIPPED: &str = include_str!("../../data/models.toml");

const FACTS: [&str; 11] = [
    "marks",
    "minimum",
    "ttls",
    "global_cache",
    "context_window",
    "role",
    "counting",
    "bytes_per_token",
    "errs",
    "price",
    "betas",
];

/// The data that comes with the engine, read at its first use.
pub(crate) fn shipped() -> &'static ModelData {
    static DATA: LazyLock<ModelData> = LazyLock::new(|| read("models.toml", SHIPPED).0);
    &DATA
}

/// Reads one file.
pub(crate) fn read(name: &str, text: &str) -> (ModelData, Vec<Diagnostic>) {
    let file = SourceFile::new(name, text);
    let reader = Reader::new(&file, 0);
    let tree = reader.parse_what_can_be(text);
    let mut data = ModelData::default();
    let root = Table::root(&reader, &tree, "model data", &["format", "date", "provider"]);
    refuse_newer(&root);
    for value in root.open("provider") {
        let known = [&FACTS[..], &["base", "family"]].concat();
        if let Some(table) = value.table("a provider", &known) {
            data.providers.insert(value.name.into(), provider(&table));
        }
    }
    (data, reader.finish())
}

fn refuse_newer(root: &Table<'_>) {
    let Some(format) = root.get("format") else { return };
    if format.integer().is_some_and(|number| number != 1) {
        format.refuse("the engine knows model data of format 1", "use a newer engine");
    }
}

fn provider(table: &Table<'_>) -> Provider {
    let known = [&FACTS[..], &["id", "models", "like"]].concat();
    let families = table.tables("family", &known);
    Provider {
        base: table.string("base"),
        stated: stated(table),
        families: families.iter().filter_map(family).collect(),
    }
}

fn family(table: &Table<'_>) -> Option<Family> {
    let Some(id) = table.string("id") else {
        let help = "name it, so that other data can be laid over it";
        table.reader.tell(Code::WrongType, table.span(), "a family needs an `id`", help);
        return None;
    };
    Some(Family {
        id,
        models: names(table, "models"),
        like: names(table, "like"),
        stated: stated(table),
    })
}

/// Parts of model ids, in lower case, as they are compared.
fn names(table: &Table<'_>, key: &str) -> Vec<Arc<str>> {
    let names = table.get(key).and_then(|value| value.strings()).unwrap_or_default();
    let names = names.into_iter().filter(|(name, value)| {
        let empty = name.trim_end_matches('*').is_empty();
        if empty {
            value.refuse("an empty name fits every model", "write a part of the model's id");
        }
        !empty
    });
    names.map(|(name, _)| name.to_lowercase().into()).collect()
}

fn stated(table: &Table<'_>) -> Stated {
    let counting = [
        ("o200k_base", Some(Encoding::O200k)),
        ("cl100k_base", Some(Encoding::Cl100k)),
        ("bytes", None),
    ];
    let marks = [
        ("explicit", Marks::Explicit),
        ("outside-tools", Marks::OutsideTools),
        ("automatic", Marks::Automatic),
        ("none", Marks::None),
    ];
    let roles = [("system", PromptRole::System), ("developer", PromptRole::Developer)];
    Stated {
        marks: table.choice("marks", &marks),
        minimum: table.get("minimum").and_then(tokens),
        ttls: table.get("ttls").and_then(ttls),
        global_cache: table.get("global_cache").and_then(|value| value.boolean()),
        context_window: table.get("context_window").and_then(tokens),
        role: table.choice("role", &roles),
        encoding: table.choice("counting", &counting),
        bytes_per_token: table.get("bytes_per_token").and_then(positive),
        errs: table.choice("errs", &[("high", Errs::High), ("low", Errs::Low)]),
        price: price(table),
        betas: table.table("betas", &["scope", "one_hour"]).map(|betas| Betas {
            scope: betas.string("scope"),
            one_hour: betas.string("one_hour"),
        }),
    }
}

fn tokens(value: Value<'_>) -> Option<usize> {
    let number = usize::try_from(value.integer()?).ok();
    if number.is_none() {
        value.refuse(format!("`{}` is below 0", value.name), "give a number of tokens");
    }
    number
}

fn ttls(value: Value<'_>) -> Option<Vec<Ttl>> {
    let words = value.strings()?.into_iter().filter_map(|(word, item)| {
        let found = Ttl::WORDS.iter().find(|(name, _)| *name == word).map(|&(_, ttl)| ttl);
        if found.is_none() {
            item.refuse(
                format!("`{word}` is no life of cache entries"),
                "it is `5m`, `30m` or `1h`",
            );
        }
        found
    });
    Some(words.collect())
}

/// A number above 0, with or without a point.
fn positive(value: Value<'_>) -> Option<f64> {
    let number = match value.json()? {
        Json::Number(number) => number.as_f64(),
        _ => return value.wrong_type("a number"),
    };
    let number = number.filter(|number| *number > 0.0);
    if number.is_none() {
        value.refuse(format!("`{}` is not above 0", value.name), "give a number above 0");
    }
    number
}

fn price(table: &Table<'_>) -> Option<Price> {
    let price = table.table("price", &["uncached", "read", "write", "write_1h"])?;
    let number = |key| price.get(key).and_then(positive);
    let (uncached, read, write) = (number("uncached"), number("read"), number("write"));
    let (Some(uncached), Some(read), Some(write)) = (uncached, read, write) else {
        if let Some(value) = table.get("price") {
            value.refuse("a price needs `uncached`, `read` and `write`", "give all three");
        }
        return None;
    };
    Some(Price { uncached, read, write, write_1h: number("write_1h") })
}

#[cfg(test)]
mod tests;
