//! Keys and texts stay out of logs, metrics and errors.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::io::Write;
use std::sync::{Arc, Mutex};

use common::{
    CHAT, KEY, Say, Step, TOKEN, Upstream, ask, chat, config, gateway, get, plain, streamed,
};
use serde_json::json;
use tracing_subscriber::filter::LevelFilter;

#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything that any crate logs, while requests of all kinds go well and badly.
#[tokio::test]
async fn neither_keys_nor_texts_are_logged() {
    let log = Log::default();
    let held = log.clone();
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(LevelFilter::TRACE)
        .with_writer(move || held.clone())
        .init();
    let told = format!("wrong: {KEY} and Bearer {KEY}");
    let said = [
        Say::json(200, &chat()),
        Say::sse(CHAT),
        Say::json(429, &json!({ "error": { "message": told } })),
        Say::json(401, &json!({ "error": { "message": told } })),
        Say::json(400, &json!({ "error": { "message": told } })),
        Say::new(
            200,
            vec![Step::Bytes(
                "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n".into(),
            )],
        ),
        Say::new(200, vec![Step::Bytes("nonsense of Hello".into())]),
        Say::json(200, &json!({ "error": { "message": told } })),
        Say::new(
            200,
            vec![Step::Bytes(
                format!(
                    "data: {{\"choices\":[{{\"delta\":{{\"content\":\"Hello\"}}}}]}}\n\n\
                     data: {{\"error\":{{\"message\":\"{told}\"}}}}\n\n"
                )
                .into(),
            )],
        ),
    ];
    let number = said.len();
    let upstream = Upstream::start(said).await;
    let prompt = "retries = 0\nprompt = { context = { user = { name = 'Ada-of-the-context' } } }";
    let text = config("openai-chat", upstream.addr, prompt);
    let served = gateway(&text).await;
    for at in 0..number {
        let mut asked = if at % 2 == 0 { plain() } else { streamed() };
        asked["messages"][0]["content"] = "text-of-the-request".into();
        asked["system"] = "system-of-the-request".into();
        let reply = ask(&served, &asked).await;
        assert!(!reply.text.contains(KEY), "{}", reply.text);
        assert!(!format!("{:?}", reply.headers).contains(KEY));
    }
    assert_eq!(upstream.got().len(), number);
    let metrics = get(&served, "/metrics").await.text;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("upstream=\"up\"") && log.contains("request=\"req_"), "{log}");
    assert!(metrics.contains("promptweave_gateway_tokens_total{upstream=\"up\",kind=\"input\"}"));
    let texts = ["text-of-the-request", "system-of-the-request", "Ada-of-the-context", "Hello"];
    for secret in [&[KEY, TOKEN][..], &texts].concat() {
        assert!(!log.contains(secret), "`{secret}` is logged:\n{log}");
        assert!(!metrics.contains(secret), "`{secret}` is counted:\n{metrics}");
    }
}
