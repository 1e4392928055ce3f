//! One bench for each floor: loading, selecting, building, rendering, tidying, parsing.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use promptweave::unstable_machinery::{Ready, parse_template};
use promptweave::{Ask, JsonOptions, TidyMode, tidy_text};
use promptweave_benches::texts::{self, text};
use promptweave_benches::{chain, concat, packs};

fn render(criterion: &mut Criterion) {
    let made = packs::ready();
    let parts = made.parts();
    let mut group = criterion.benchmark_group("render");
    group.bench_function("concat", |bencher| bencher.iter(|| concat(&parts)));
    let measured = Ready::with(&made.engine, &made.context, |ready| {
        group.bench_function("rendered", |bencher| bencher.iter(|| ready.rendered()));
        group.bench_function("traced", |bencher| bencher.iter(|| ready.traced()));
        group.bench_function("text", |bencher| bencher.iter(|| ready.text()));
    });
    measured.expect("a variant");
    group.finish();
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for tags in [1000, 2000] {
        let template = packs::template(tags);
        group.throughput(Throughput::Elements(tags as u64));
        group.bench_function(format!("{tags}_tags"), |bencher| {
            bencher.iter(|| parse_template(&template))
        });
    }
    group.finish();
}

fn tidy(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tidy");
    for kind in [
        texts::PROSE,
        texts::DIRTY,
        texts::SIGNS,
        texts::LINES,
        texts::SEPARATORS,
        texts::HEADINGS,
        texts::WORST,
    ] {
        let text = text(kind, 30_000);
        group.throughput(Throughput::Bytes(text.len() as u64));
        for mode in [TidyMode::Classic, TidyMode::Structural] {
            let name = format!("{}/{}", mode.as_str(), kind.0);
            group.bench_function(name, |bencher| bencher.iter(|| tidy_text(mode, &text)));
        }
        group.bench_function(format!("chain/{}", kind.0), |bencher| {
            bencher.iter(|| chain::classic(&text))
        });
    }
    group.finish();
}

fn build(criterion: &mut Criterion) {
    let (long, standard, context) = (packs::long(), packs::standard(), packs::unclaimed());
    let mut group = criterion.benchmark_group("build");
    group.bench_function("long", |bencher| bencher.iter(|| long.engine.prompt(&long.context)));
    group.bench_function("standard", |bencher| bencher.iter(|| standard.prompt(&context)));
    group.bench_function("select", |bencher| {
        bencher.iter(|| standard.select(&context, &Ask::default()))
    });
    group.bench_function("load", |bencher| bencher.iter(packs::standard));
    group.bench_function("check", |bencher| bencher.iter(|| standard.check()));
    let prompt = standard.prompt(&context).expect("a prompt");
    group
        .bench_function("json", |bencher| bencher.iter(|| prompt.to_json(&JsonOptions::default())));
    group.finish();
}

criterion_group!(floors, render, parse, tidy, build);
criterion_main!(floors);
