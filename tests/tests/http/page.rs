//! The page's files.

use promptweave_tests::http::Served;
use promptweave_tests::{pack, standard};

/// What is built lies in the folder; without a build there is no page.
#[test]
fn each_file_is_served_with_its_tag() {
    let served = Served::new(standard::engine());
    let dist = pack::root().join("preview/page/dist");
    let index = dist.join("index.html");
    let Ok(text) = std::fs::read(&index) else {
        assert_eq!(served.get("/").problem().0, 404);
        return;
    };
    let answer = served.get("/");
    assert_eq!((answer.status, &answer.body), (200, &text));
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    let tag = answer.header("etag").unwrap();
    assert!(tag.starts_with('"') && tag.ends_with('"'), "a strong tag: {tag}");
    let again = served.ask(&format!("GET / HTTP/1.1\r\nIf-None-Match: {tag}"), b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let packed = served.ask("GET / HTTP/1.1\r\nAccept-Encoding: br, gzip", b"");
    if packed.header("content-encoding") == Some("gzip") {
        assert!(packed.body.len() < text.len() && packed.header("etag") != Some(tag));
    }
}
