//! What holds of any contexts in a row.

use promptweave::{CacheTotals, Context, Engine};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::steps;

fn engine() -> Engine {
    Engine::builder().pack(promptweave_variants::standard()).build().unwrap()
}

/// A context for one of a few models, in which what may change has one of a few values.
fn a_context() -> impl Strategy<Value = Json> {
    let models =
        prop::sample::select(&["claude-opus-4-5", "gpt-5.2", "gemini-3-pro", "none", ""][..]);
    let few = 0..3_u8;
    (models, few.clone(), few.clone(), few.clone(), few).prop_map(|(model, a, b, c, d)| {
        json!({
            "model": { "id": model }, "cwd": "/p", "date": "2026-01-15", "time": format!("0{a}:00"),
            "tools": if b == 0 { json!(["read_file"]) } else { json!(["read_file", "edit_file"]) },
            "mcp": { "servers": vec![json!({ "name": "db", "status": "connected", "tools": [] }); b.into()] },
            "rules": { "project": "Be kind. ".repeat(c.into()) },
            "request": { "prefix": "P".repeat(d.into()), "append": vec!["more"; c.into()], "marks_used": a },
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn sums_agree_and_threads_change_nothing(roots in prop::collection::vec(a_context(), 1..60)) {
        let engine = engine();
        let contexts: Vec<Context> =
            roots.into_iter().map(|root| Context::from_value(root).unwrap()).collect();
        let one = steps(&engine, &contexts, 1);
        let many = steps(&engine, &contexts, 5);
        prop_assert_eq!(
            one.iter().map(|step| step.to_json()).collect::<Vec<_>>(),
            many.iter().map(|step| step.to_json()).collect::<Vec<_>>()
        );
        let mut totals = CacheTotals::default();
        for (at, step) in one.iter().enumerate() {
            totals.add(step);
            prop_assert_eq!(step.request, at);
            prop_assert_eq!(step.common.is_none(), at == 0);
            let total = step.usage.total();
            // What is taken over from the request before is what it would be without one.
            let alone = steps(&engine, &contexts[at..=at], 1);
            prop_assert_eq!(alone[0].usage.total(), total);
            if let Some(common) = step.common {
                prop_assert!(common.tokens <= total && step.usage.read <= total);
            }
            if step.broken.is_none() && at > 0 {
                prop_assert_eq!(step.usage.written, 0);
            }
        }
        let lost: f64 = totals.causes.values().map(|one| one.price).sum();
        prop_assert!((totals.price.paid - totals.price.unbroken - lost).abs() < 1e-9);
        prop_assert_eq!(totals.causes.values().map(|one| one.breaks).sum::<usize>(), totals.breaks);
        prop_assert!(totals.price.unbroken <= totals.price.paid + 1e-9);
    }
}
