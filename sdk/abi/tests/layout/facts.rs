//! What is compared.
//!
//! In: the types of this crate. Out: facts, and a C program that prints the same ones. Never: a struct
//! whose fields are listed in part; the pattern below would not compile.

use std::fs;

use promptweave_abi::*;

use crate::compilers::INCLUDE;

/// One number with a name that C understands.
pub(crate) enum Fact {
    Size { c: &'static str, value: usize },
    Offset { c: &'static str, field: &'static str, offset: usize, size: usize },
    Number { c: &'static str, value: i64 },
    Text { c: &'static str, value: &'static str },
}

impl Fact {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Size { c, .. }
            | Self::Offset { c, .. }
            | Self::Number { c, .. }
            | Self::Text { c, .. } => c,
        }
    }

    pub(crate) fn line(&self) -> String {
        match self {
            Self::Size { c, value } => format!("{c} {value}"),
            Self::Offset { c, field, offset, size } => format!("{c}.{field} {offset} {size}"),
            Self::Number { c, value } => format!("{c} {value}"),
            Self::Text { c, value } => format!("{c} {value}"),
        }
    }

    fn print(&self) -> String {
        match self {
            Self::Size { c, .. } => format!("printf(\"{c} %lu\\n\", (unsigned long)sizeof({c}));"),
            Self::Offset { c, field, .. } => format!(
                "printf(\"{c}.{field} %lu %lu\\n\", (unsigned long)offsetof({c}, {field}), \
                 (unsigned long)sizeof((({c} *)0)->{field}));"
            ),
            Self::Number { c, .. } => format!("printf(\"{c} %ld\\n\", (long)({c}));"),
            Self::Text { c, .. } => format!("printf(\"{c} %s\\n\", {c});"),
        }
    }
}

/// A C program that prints the line of each fact.
pub(crate) fn program(facts: &[Fact]) -> String {
    let prints: Vec<String> = facts.iter().map(Fact::print).collect();
    format!(
        "#include <stdio.h>\n#include \"promptweave-origin.h\"\n\
         int main(void) {{\n{}\nreturn 0; }}\n",
        prints.join("\n")
    )
}

/// The names that the headers define as numbers or text.
pub(crate) fn defined_constants() -> Vec<String> {
    let mut names = Vec::new();
    for header in ["promptweave.h", "promptweave-origin.h"] {
        let text = fs::read_to_string(format!("{INCLUDE}/{header}")).unwrap();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if words.next() != Some("#define") {
                continue;
            }
            let (Some(name), Some(value)) = (words.next(), words.next()) else { continue };
            if !name.contains('(')
                && value.starts_with(|c: char| c.is_ascii_digit() || "(\"".contains(c))
            {
                names.push(name.to_owned());
            }
        }
    }
    assert!(names.len() > 30, "the headers define more than that");
    names
}

/// The size of a struct, then the offset and size of each of its fields.
macro_rules! fields {
    ($facts:ident, $c:literal, $type:ident { $($field:ident),* $(,)? }) => {
        let _all_fields = |$type { $($field: _),* }: $type| ();
        $facts.push(Fact::Size { c: $c, value: size_of::<$type>() });
        $($facts.push(Fact::Offset {
            c: $c,
            field: stringify!($field),
            offset: std::mem::offset_of!($type, $field),
            size: size_of_field(|it: &$type| &it.$field),
        });)*
    };
}

fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

pub(crate) fn all() -> Vec<Fact> {
    let mut facts = structs();
    let numbers = statuses().into_iter().chain(kinds()).chain(others());
    facts.extend(numbers.map(|(c, value)| Fact::Number { c, value }));
    facts.push(Fact::Text { c: "WEAVE_ORIGIN_EXTENSION", value: ORIGIN_EXTENSION });
    facts
}

fn structs() -> Vec<Fact> {
    let mut facts = vec![Fact::Size { c: "weave_status", value: size_of::<Status>() }];
    fields!(facts, "weave_str", Str { ptr, len });
    fields!(facts, "weave_value", Value { struct_size, kind, text, reserved });
    fields!(
        facts,
        "weave_host_api",
        HostApi {
            struct_size,
            abi_major,
            abi_minor,
            host_name,
            host_version,
            get,
            variant,
            section,
            write,
            set_error,
            cancelled,
            log,
            extension,
            report,
            meta,
            reserved,
        }
    );
    fields!(
        facts,
        "weave_call",
        Call {
            struct_size,
            flags,
            host,
            ctx,
            item_id,
            variant_id,
            args,
            context,
            budget_us,
            reserved,
        }
    );
    fields!(
        facts,
        "weave_item",
        Item {
            struct_size,
            kind,
            id,
            description,
            deps,
            deps_count,
            cache_class,
            cache_reason,
            data,
            call,
            sections,
            sections_count,
            flags,
            reserved,
        }
    );
    fields!(
        facts,
        "weave_plugin",
        Plugin {
            struct_size,
            abi_major,
            abi_minor,
            min_host_minor,
            reserved0,
            flags,
            name,
            version,
            description,
            license,
            homepage,
            items,
            items_count,
            items_stride,
            init,
            deinit,
            reserved,
        }
    );
    fields!(facts, "weave_origin_extension", OriginExtension { struct_size, reserved, add });
    facts
}

fn statuses() -> Vec<(&'static str, i64)> {
    let all = [
        ("WEAVE_OK", Status::OK),
        ("WEAVE_NOTHING", Status::NOTHING),
        ("WEAVE_E_ARG", Status::E_ARG),
        ("WEAVE_E_VERSION", Status::E_VERSION),
        ("WEAVE_E_UNDECLARED", Status::E_UNDECLARED),
        ("WEAVE_E_LIMIT", Status::E_LIMIT),
        ("WEAVE_E_CANCELLED", Status::E_CANCELLED),
        ("WEAVE_E_UNSUPPORTED", Status::E_UNSUPPORTED),
        ("WEAVE_E_CONTEXT", Status::E_CONTEXT),
        ("WEAVE_E_PLUGIN", Status::E_PLUGIN),
        ("WEAVE_E_PANIC", Status::E_PANIC),
    ];
    for (c, status) in all {
        assert_eq!(status.name(), c.strip_prefix("WEAVE_"), "the name is the header's");
    }
    all.map(|(c, status)| (c, status.0.into())).to_vec()
}

fn kinds() -> Vec<(&'static str, i64)> {
    vec![
        ("WEAVE_KIND_COMPONENT", Kind::COMPONENT.0.into()),
        ("WEAVE_KIND_VARIANT", Kind::VARIANT.0.into()),
        ("WEAVE_KIND_MATCHER", Kind::MATCHER.0.into()),
        ("WEAVE_KIND_HELPER", Kind::HELPER.0.into()),
        ("WEAVE_KIND_TOOL", Kind::TOOL.0.into()),
        ("WEAVE_KIND_PROBE", Kind::PROBE.0.into()),
        ("WEAVE_CACHE_STATIC", CacheClass::STATIC.0.into()),
        ("WEAVE_CACHE_SESSION", CacheClass::SESSION.0.into()),
        ("WEAVE_CACHE_VOLATILE", CacheClass::VOLATILE.0.into()),
        ("WEAVE_VAL_NULL", ValueKind::NULL.0.into()),
        ("WEAVE_VAL_BOOL", ValueKind::BOOL.0.into()),
        ("WEAVE_VAL_INT", ValueKind::INT.0.into()),
        ("WEAVE_VAL_FLOAT", ValueKind::FLOAT.0.into()),
        ("WEAVE_VAL_STRING", ValueKind::STRING.0.into()),
        ("WEAVE_VAL_ARRAY", ValueKind::ARRAY.0.into()),
        ("WEAVE_VAL_OBJECT", ValueKind::OBJECT.0.into()),
    ]
}

fn others() -> Vec<(&'static str, i64)> {
    vec![
        ("WEAVE_ABI_MAJOR", ABI_MAJOR.into()),
        ("WEAVE_ABI_MINOR", ABI_MINOR.into()),
        ("WEAVE_GET_JSON", GET_JSON.into()),
        ("WEAVE_LOG_ERROR", Level::ERROR.0.into()),
        ("WEAVE_LOG_WARN", Level::WARN.0.into()),
        ("WEAVE_LOG_INFO", Level::INFO.0.into()),
        ("WEAVE_LOG_DEBUG", Level::DEBUG.0.into()),
        ("WEAVE_ITEM_WANTS_CONTEXT", ITEM_WANTS_CONTEXT.into()),
        ("WEAVE_PLUGIN_THREAD_SAFE", PLUGIN_THREAD_SAFE.into()),
    ]
}
