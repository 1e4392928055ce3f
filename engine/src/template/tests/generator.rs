//! Random templates over all constructs, and random values for them.

use serde_json::{Value as Json, json};

/// A small random generator (splitmix64): the same seed gives the same templates on every machine.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A template, the partials it may use and the values.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub template: String,
    pub partials: Vec<(String, String)>,
    pub values: Json,
}

/// A case over what the crate knows.
pub(super) fn case(random: &mut Random) -> Case {
    any_case(random, false)
}

/// A case that also uses our own helpers, `h` of an extension and the sections `r` and `u`.
pub(super) fn wide_case(random: &mut Random) -> Case {
    any_case(random, true)
}

fn any_case(random: &mut Random, wide: bool) -> Case {
    let mut partials = Vec::new();
    // A partial uses only those before it, so that none includes itself.
    for name in ["p0", "p1", "p2"] {
        let count = partials.len();
        let mut writer = Writer::new(random, count, wide);
        writer.parts(2);
        partials.push((name.to_owned(), writer.out));
    }
    let mut writer = Writer::new(random, 3, wide);
    writer.parts(3);
    let template = writer.out;
    Case { template, partials, values: values(random) }
}

const TEXTS: &[&str] = &[
    "x",
    "y z",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\t",
    "\r\n",
    "\n  ",
    "  \n",
    "}",
    "é\u{a0}",
    "\u{2028}",
    "{\"a\": 1}",
    "a}}b",
    " \\ ",
    "\\{{ ",
    "\\\\",
    "# h\n",
    "====\n",
    "it's \"q\"",
    "- ",
];
const WIDE_VALUES: &[&str] = &[
    "r",
    "u",
    "r",
    "u",
    "cache_boundary",
    "tool_docs",
    "tool \"read\"",
    "tool_doc \"v\"",
    "section \"r\"",
    "section \"u\"",
    "h",
];
/// Texts that change what a tag behind them is.
const RISKY: &[&str] = &["{", "\\", "\\{{", "{{"];
const NAMES: &[&str] = &["a", "b", "c", "n", "t", "f", "e", "s", "xs", "ys", "o", "os", "nope"];
const FIELDS: &[&str] = &["a", "b", "0", "1", "xs", "[a]", "[0]", "this"];
const LOCALS: &[&str] = &["@index", "@key", "@first", "@last", "@../index", "@../../key", "@other"];
const LITERALS: &[&str] = &[
    "1",
    "0",
    "-2.5",
    "true",
    "false",
    "null",
    "\"s\"",
    "'x'",
    "\"}}\"",
    "'{{'",
    "\"a\\\"b\"",
    "[1, \"]\"]",
    "[]",
    "{}",
    "{\"a\": {\"b\": [1]}}",
    "'q \"w\"'",
    "\"é\"",
];

struct Writer<'r> {
    random: &'r mut Random,
    out: String,
    partials: usize,
    wide: bool,
    params: Vec<&'static str>,
}

impl<'r> Writer<'r> {
    fn new(random: &'r mut Random, partials: usize, wide: bool) -> Self {
        Self { random, out: String::new(), partials, wide, params: Vec::new() }
    }

    fn parts(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            self.part(depth);
        }
    }

    fn part(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 12 } else { 18 }) {
            0..4 => {
                let risky = self.random.chance(1);
                let text = self.random.pick(if risky { RISKY } else { TEXTS });
                self.out.push_str(text);
            }
            4 => self.line(|writer| {
                let inner = writer.random.pick(&["! c ", "!-- c }} --", "!", "! it's (", "!--~--"]);
                writer.out.push_str(&format!("{{{{{inner}}}}}"));
            }),
            5 if self.partials > 0 => self.line(Self::partial),
            6 => self.line(Self::raw),
            5..12 => self.value(),
            _ => self.block(depth - 1),
        }
    }

    /// Often puts a tag alone on its line.
    fn line(&mut self, tag: impl FnOnce(&mut Self)) {
        let alone = self.random.chance(50);
        if alone {
            self.out.push('\n');
            let blanks = self.random.pick(&["", "", "  ", "\t"]);
            self.out.push_str(blanks);
        }
        tag(self);
        if alone {
            let end = self.random.pick(&["\n", "\n", " \n", "\r\n", ""]);
            self.out.push_str(end);
        }
    }

    fn tag(&mut self, open: &str, body: &str, close: &str) {
        let before = self.random.pick(&["", "", "", "", "", "~"]);
        let after = self.random.pick(&["", "", "", "", "", "~"]);
        let blank = self.random.pick(&["", "", "", " ", "\n"]);
        self.out.push_str(&format!("{{{{{before}{open}{blank}{body}{blank}{close}{after}}}}}"));
    }

    fn value(&mut self) {
        if self.wide && self.random.chance(20) {
            let body = self.random.pick(WIDE_VALUES);
            return self.tag("", body, "");
        }
        let body = match self.random.below(10) {
            0..6 => self.path(),
            6 => self.random.pick(LOCALS).to_owned(),
            7 => format!("({})", self.call(2)),
            _ => self.call(2),
        };
        match self.random.below(8) {
            0 => self.tag("{", &body, "}"),
            1 if !body.contains(' ') => self.tag("&", &body, ""),
            _ => self.tag("", &body, ""),
        }
    }

    fn path(&mut self) -> String {
        if !self.params.is_empty() && self.random.chance(25) {
            let at = self.random.below(self.params.len());
            let param = self.params[at].to_owned();
            return if self.random.chance(30) { param + ".a" } else { param };
        }
        if self.wide && self.random.chance(15) {
            return self
                .random
                .pick(&["r", "u", "@root.r", "sections.u", "@root.sections.r"])
                .to_owned();
        }
        let start =
            self.random.pick(&["", "", "", "", "", "", "../", "../../", "./", "this.", "@root."]);
        let mut path = start.to_owned();
        path.push_str(if self.random.chance(12) { "this" } else { self.random.pick(NAMES) });
        if self.random.chance(20) {
            path.push_str(self.random.pick(&[".", ".", "/"]));
            path.push_str(self.random.pick(FIELDS));
        }
        path
    }

    fn arg(&mut self, depth: usize) -> String {
        match self.random.below(10) {
            0..5 => self.path(),
            5 => self.random.pick(LOCALS).to_owned(),
            6 if depth > 0 => format!("({})", self.call(depth - 1)),
            _ => self.random.pick(LITERALS).to_owned(),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        if self.wide && self.random.chance(40) {
            let call = match self.random.below(9) {
                0 => format!("default {} {}", self.arg(depth), self.arg(depth)),
                1 => format!("contains {} {}", self.arg(depth), self.arg(depth)),
                2 => format!("join {} '/'", self.arg(depth)),
                3 => format!("json {}", self.arg(depth)),
                4 => format!("xml {}", self.arg(depth)),
                5 => format!("indent 2 {}", self.arg(depth)),
                6 => format!("section {}", self.arg(depth)),
                7 => self.random.pick(&["has_tool 'v'", "has_tool a"]).to_owned(),
                _ => format!("h {} k={}", self.arg(depth), self.arg(depth)),
            };
            return call;
        }
        let (name, args) = match self.random.below(7) {
            0 => ("eq", 2),
            1 => ("ne", 2),
            2 => ("and", 1 + self.random.below(3)),
            3 => ("or", 1 + self.random.below(3)),
            4 => ("not", 1),
            5 => ("len", 1),
            _ => ("lookup", 2),
        };
        let mut call = name.to_owned();
        for _ in 0..args {
            call.push(' ');
            call.push_str(&self.arg(depth));
        }
        call
    }

    fn block(&mut self, depth: usize) {
        let (name, head, param) = self.head();
        self.line(|writer| writer.tag("#", &head, ""));
        self.body(depth, param);
        while self.random.chance(20) {
            let (_, head, param) = self.head();
            let word = self.random.pick(&["else ", "else ", "^"]);
            self.line(|writer| writer.tag("", &format!("{word}{head}"), ""));
            self.body(depth, param);
        }
        if self.random.chance(30) {
            let word = self.random.pick(&["else", "else", "^"]);
            self.line(|writer| writer.tag("", word, ""));
            self.body(depth, None);
        }
        self.line(|writer| writer.tag("/", &name, ""));
    }

    fn body(&mut self, depth: usize, param: Option<&'static str>) {
        self.params.extend(param);
        self.parts(depth);
        if param.is_some() {
            self.params.pop();
        }
    }

    fn head(&mut self) -> (String, String, Option<&'static str>) {
        let name = self
            .random
            .pick(&["if", "if", "if", "unless", "each", "each", "each", "with", "with", "eq"]);
        let mut head = format!("{name} {}", self.arg(1));
        let mut param = None;
        match name {
            "eq" => head = format!("eq {} {}", self.arg(0), self.arg(0)),
            "if" | "unless" if self.random.chance(if self.wide { 30 } else { 10 }) => {
                let zero = self.random.pick(&["true", "false", "t", "f"]);
                head.push_str(&format!(" includeZero={zero}"));
            }
            "each" | "with" if self.random.chance(35) => {
                param = Some(["p", "q", "a"][self.random.below(3)]);
                let key = if name == "each" { self.random.pick(&["", " k"]) } else { "" };
                head.push_str(&format!(" as |{}{key}|", param.unwrap()));
            }
            _ => {}
        }
        (name.to_owned(), head, param)
    }

    fn partial(&mut self) {
        let at = self.random.below(self.partials);
        let mut body = match self.random.below(if self.wide { 3 } else { 12 }) {
            0 => format!("(lookup @root.names \"p{at}\")"),
            _ => format!("p{at}"),
        };
        if self.random.chance(30) {
            body.push(' ');
            body.push_str(&self.path());
        }
        if self.random.chance(25) {
            let value = self.random.pick(&["a", "o", "xs", "1", "'v'", "../a", "true"]);
            let key = self.random.pick(&["k", "a", "b"]);
            body.push_str(&format!(" {key}={value}"));
        }
        self.tag(">", &body, "");
    }

    fn raw(&mut self) {
        let before = self.random.pick(&["", "", "", "~"]);
        let after = self.random.pick(&["", "", "", "~"]);
        let head = self.random.pick(&["raw", "raw", "raw", "if a", "unless t"]);
        let name = head.split(' ').next().unwrap();
        self.out.push_str(&format!("{{{{{{{{{before}{head}{after}}}}}}}}}"));
        for _ in 0..self.random.below(3) {
            let text = self.random.pick(&[
                "{{x}}",
                "{{{y}}}",
                "\\{{z}}",
                " ",
                "\n",
                "w",
                "{{#if}}",
                "\\\\{{v}}",
            ]);
            self.out.push_str(text);
        }
        self.out.push_str(&format!("{{{{{{{{{before}/{name}{after}}}}}}}}}"));
    }
}

fn values(random: &mut Random) -> Json {
    let mut values = json!({"names": {"p0": "p0", "p1": "p1", "p2": "p2"}});
    for name in NAMES.iter().filter(|name| **name != "nope") {
        let value = match *name {
            "xs" => json!([scalar(random), scalar(random)]),
            "ys" => json!([{"a": scalar(random), "xs": [1, 2]}, {"b": scalar(random)}]),
            "o" => json!({"a": scalar(random), "b": scalar(random), "0": "zero"}),
            "os" => {
                json!({"b": {"a": scalar(random)}, "a": {"a": scalar(random), "xs": [scalar(random)]}})
            }
            _ => scalar(random),
        };
        if !random.chance(8) {
            values[*name] = if random.chance(8) { json!([]) } else { value };
        }
    }
    values
}

fn scalar(random: &mut Random) -> Json {
    match random.below(14) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(false),
        3 => json!(0),
        4 => json!(1),
        5 => json!(2.5),
        6 => json!(""),
        7 => json!("two\nlines"),
        8 => json!("ends\n"),
        9 => json!("{{a}} \\{{"),
        10 => json!(" "),
        11 => json!("\u{a0}é"),
        12 => json!("\nbegins"),
        _ => json!("v"),
    }
}
