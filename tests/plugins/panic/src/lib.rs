//! Panics in one component, and yields the section of another.
#![forbid(unsafe_code)]

use promptweave_plugin::{Cache, Component, Cx, Error, Section, export_plugin};

struct Bad;

impl Component<()> for Bad {
    const ID: &'static str = "bad";
    const DESCRIPTION: &'static str = "Panics";
    const CACHE: Cache = Cache::Volatile("a test");

    fn render(_: &(), _: &mut Cx<'_>) -> Result<Section, Error> {
        panic!("out of ideas")
    }
}

struct Good;

impl Component<()> for Good {
    const ID: &'static str = "good";
    const DESCRIPTION: &'static str = "Is fine";
    const CACHE: Cache = Cache::Volatile("a test");

    fn render(_: &(), cx: &mut Cx<'_>) -> Result<Section, Error> {
        cx.write("good\n")?;
        Ok(Section::Written)
    }
}

export_plugin! { name: "panic", version: "1.0.0", components: [Bad, Good] }
