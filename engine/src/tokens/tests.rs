//! Counts, their names, and the places where texts are cut.

use serde_json::json;

use super::*;
use crate::facts::Facts;

fn facts(provider: &str, model: &str) -> Facts {
    crate::load::shipped_facts().facts(provider, model)
}

#[test]
fn an_estimate_says_so_and_on_which_side_it_errs() {
    let counter = TokenCounter::new(&facts("anthropic", "claude-opus-4-1"));
    let (tokens, method) = counter.count(&"x".repeat(33));
    assert_eq!(tokens, 11);
    assert_eq!(method.to_string(), "estimate, 3.2 bytes a token, mostly high");
    assert_eq!(counter.count("").0, 0);
}

#[test]
fn seams_stand_behind_line_ends() {
    for (text, at, safe) in [
        ("a\nb", 2, true),
        ("a\nb", 1, false),
        ("a\n b", 2, false),
        ("a\n\nb", 2, false),
        ("a\n\nb", 3, true),
        ("a\n/b", 2, false),
        ("a\n\u{a0}b", 2, false),
        ("a\né", 2, true),
        ("é", 1, false),
        ("a\n", 2, false),
        ("", 0, false),
    ] {
        assert_eq!(seams::is_safe(text, at), safe, "{text:?} {at}");
    }
    assert_eq!(seams::cut("a\nb\nc", [2, 9, 1, 2].into_iter()), ["a\n", "b\nc"]);
    assert_eq!(seams::cut("", [0].into_iter()), [""]);
}

#[cfg(feature = "tokens")]
mod exact {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::Encoding;

    fn count(encoding: Encoding, text: &str) -> usize {
        super::super::exact::count(encoding, text).unwrap()
    }

    /// Counted with the reference encoder's own `encode_ordinary`.
    #[test]
    fn counts_are_those_of_the_reference() {
        for text in [
            "",
            "hello world",
            "You are a coding agent.\n\n# Rules\n\n- Read before you write.\n",
            "fn main() {\n    println!(\"{}\", 1_000_000);\n}\n",
            "größe 🦀 日本語のテキスト\r\n\r\n",
            "<|endoftext|> is plain text here",
            "a\n/b\n//c\n",
        ] {
            let o200k = tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
            let cl100k = tiktoken_rs::cl100k_base_singleton().encode_ordinary(text).len();
            assert_eq!(count(Encoding::O200k, text), o200k, "{text}");
            assert_eq!(count(Encoding::Cl100k, text), cl100k, "{text}");
        }
    }

    #[test]
    fn known_counts() {
        for (text, o200k, cl100k) in
            [("hello world", 2, 2), ("tiktoken is great!", 6, 6), ("お誕生日おめでとう", 8, 9)]
        {
            assert_eq!(count(Encoding::O200k, text), o200k, "{text}");
            assert_eq!(count(Encoding::Cl100k, text), cl100k, "{text}");
        }
    }

    #[test]
    fn what_the_encoder_gives_up_on_is_estimated() {
        let counter = TokenCounter::new(&facts("openai", "gpt-5.2"));
        let (tokens, method) = counter.count(&(" ".repeat(3_000_000) + "x"));
        match method {
            TokenMethod::Exact(_) => assert!(tokens > 0),
            TokenMethod::Estimate { .. } => assert_eq!(tokens, 857_144),
        }
    }

    #[test]
    fn what_was_counted_is_remembered() {
        let counter = TokenCounter::new(&facts("openai", "gpt-5.2"));
        let text = "A line of words.\n".repeat(20);
        let first = counter.count(&text);
        assert_eq!(counter.remembered().len(), 1);
        assert_eq!(counter.count(&text), first);
        assert_eq!(first.1.to_string(), "o200k_base");
        counter.count("short");
        assert_eq!(counter.remembered().len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn parts_cut_at_seams_sum_up_to_the_whole(
            text in "([a-zA-Z0-9é日 .,;:!?#*`'\"(){}/<>=_\\-]{0,12}[\n\r\t\u{a0}]{0,3}){0,24}",
            edges in prop::collection::vec(0..400_usize, 0..12),
        ) {
            let every = text.match_indices('\n').map(|(at, _)| at + 1);
            let pieces = seams::cut(&text, every.chain(edges));
            prop_assert_eq!(pieces.concat(), text.clone());
            for encoding in [Encoding::O200k, Encoding::Cl100k] {
                let sum: usize = pieces.iter().map(|piece| count(encoding, piece)).sum();
                prop_assert_eq!(sum, count(encoding, &text));
            }
        }
    }
}

/// What a budget of `most` leaves of a prompt for `model`, and what is said of the section that went.
fn fitted(model: &str, most: u64) -> (String, String) {
    let files = [
        ("pack.toml", "format = 1\nname = 'acme'\nversion = '1'\n"),
        ("generic.toml", "order = ['rules', 'notes']\nseparator = \"\\n\""),
        (
            "components/rules.toml",
            "text = 'Read before you write, and say what you did.'\npriority = 2",
        ),
        ("components/notes.toml", "text = '!?!?!?!? #### ---- 12 34 56 78 {}{}'\npriority = 1"),
    ];
    let engine =
        crate::Engine::builder().pack(crate::MemorySource::new("acme", files)).build().unwrap();
    let context = json!({ "model": { "id": model }, "request": { "budget": most } });
    let prompt = engine.prompt(&crate::Context::from_value(context).unwrap()).unwrap();
    let detail = prompt.skipped().first().map(|one| one.detail.to_string());
    (prompt.text().to_owned(), detail.unwrap_or_default())
}

/// Four bytes are a token of a model that nobody knows; of a known one its family says how many.
#[test]
fn a_budget_says_how_it_counts() {
    let (text, detail) = fitted("nobodys-model", 12);
    assert!(text.ends_with("did."), "{text}");
    assert!(detail.contains("there were 20 tokens (estimate, 4 bytes a token)"), "{detail}");
    let (_, detail) = fitted("claude-opus-4-5", 12);
    assert!(detail.contains("(estimate, ") && detail.contains("a token, mostly"), "{detail}");
}

#[cfg(feature = "tokens")]
#[test]
fn a_budget_counts_exactly_where_the_encoding_is_known() {
    let counter = TokenCounter::new(&facts("openai", "gpt-5.2"));
    let whole = fitted("gpt-5.2", 1000).0;
    let tokens = counter.count(&whole).0;
    assert_ne!(tokens, whole.len().div_ceil(4), "the estimate would be right by chance");
    assert_eq!(fitted("gpt-5.2", tokens as u64), (whole, String::new()));
    let (_, detail) = fitted("gpt-5.2", tokens as u64 - 1);
    assert!(detail.contains(&format!("there were {tokens} tokens (o200k_base)")), "{detail}");
}
