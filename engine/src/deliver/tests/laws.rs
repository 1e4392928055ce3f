//! What holds for every prompt, request and target.

use proptest::prelude::*;
use serde_json::json;

use super::super::*;
use super::support::{Case, marks, texts};

const MODELS: [&str; 8] = [
    "",
    "claude-opus-4-5",
    "claude-opus-9",
    "nova-pro",
    "llama3",
    "gpt-5.6",
    "gpt-5.2",
    "gemma-3-27b",
];

fn variant() -> impl Strategy<Value = String> {
    let ids = prop::sample::subsequence(vec!["role", "place", "now"], 0..=3).prop_shuffle();
    let tidy = prop::sample::select(vec!["structural", "off"]);
    (ids, any::<bool>(), tidy).prop_map(|(order, aside, tidy)| {
        let aside = if aside { "user_context = ['rules']\n" } else { "" };
        format!("order = {order:?}\ntidy = '{tidy}'\nseparator = \"\\n\"\n{aside}tools = ['read_file', 'write']")
    })
}

fn context() -> impl Strategy<Value = Json> {
    let text = prop::sample::select(vec!["", " ", "acme", "a\n\nb", "é🦀"]);
    let texts = (text.clone(), text.clone(), text.clone());
    let provider = prop::sample::select(vec![json!(null), json!("anthropic"), json!("gateway")]);
    let model = prop::sample::select(MODELS.to_vec());
    (texts, provider, model, any::<bool>(), any::<bool>(), -1..7_i64).prop_map(
        |((attribution, prefix, place), provider, model, global, servers, used)| {
            json!({
                "cwd": place, "time": "10:00", "model": { "id": model }, "provider": { "id": provider },
                "mcp": { "servers": if servers { json!([{ "name": "s" }]) } else { json!([]) } },
                "request": {
                    "attribution": attribution, "prefix": prefix, "global_cache": global, "marks_used": used,
                },
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn for_any_prompt(
        pack in variant(),
        role in prop::sample::select(vec!["Be brief.", " ", "\n\n", "é🦀", "# Heading\n\nText."]),
        context in context(),
        ttl in prop::sample::select(vec![Ttl::FiveMinutes, Ttl::ThirtyMinutes, Ttl::OneHour]),
        scope in prop::sample::select(vec![WireScope::Off, WireScope::On]),
    ) {
        let case = Case { pack: &pack, role, context };
        let prompt = case.prompt();
        let blocks: Vec<_> = prompt.blocks().collect();
        prop_assert_eq!(blocks.iter().map(|block| block.text).collect::<String>(), prompt.text());
        prop_assert!(blocks.iter().all(|block| !block.text.is_empty()));
        let used = case.context["request"]["marks_used"].as_u64().unwrap_or_default() as usize;
        for target in Target::ALL {
            let mut delivery = case.delivery(*target);
            (delivery.ttl, delivery.wire_scope) = (ttl, scope);
            let (payload, _) = case.deliver_as(&delivery);
            prop_assert_eq!(&payload, &case.deliver_as(&delivery).0, "the same bytes again");
            let marks = marks(*target, &payload.body);
            prop_assert!(marks.len() + used <= MAX_MARKS.max(used), "{:?}: {} and {}", target, marks.len(), used);
            let lives: Vec<&Json> = marks.iter().map(|mark| &mark["ttl"]).collect();
            prop_assert!(lives.windows(2).all(|pair| pair[0] == pair[1]), "{lives:?}");
            let texts = texts(*target, &payload.body);
            prop_assert!(texts.iter().all(|text| !text.trim().is_empty()), "{:?}: {:?}", target, texts);
            let said = prompt.text().trim();
            prop_assert!(said.is_empty() || texts.concat().contains(prompt.text()), "{:?}: {:?}", target, texts);
            alone(*target, &case, &payload, &texts)?;
        }
    }
}

/// The attribution text is the first block, alone and without a mark, or nowhere.
fn alone(
    target: Target,
    case: &Case<'_>,
    payload: &Payload,
    texts: &[String],
) -> Result<(), TestCaseError> {
    let text = case.context["request"]["attribution"].as_str().unwrap();
    let own = target == Target::Anthropic && case.context["provider"]["id"] != "gateway";
    if own && !text.trim().is_empty() {
        prop_assert_eq!(&payload.body["system"][0], &json!({ "type": "text", "text": text }));
    } else if text == "acme" {
        let prefix = case.context["request"]["prefix"] == "acme";
        let place = case.context["cwd"] == "acme";
        let first = texts.first().is_some_and(|first| first == "acme");
        prop_assert!(prefix || place || !first, "{:?}: {:?}", target, texts);
    }
    Ok(())
}
