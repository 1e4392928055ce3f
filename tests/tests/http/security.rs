//! Who is refused.

use promptweave_tests::http::{How, Served, TOKEN, token};
use promptweave_tests::standard;
use serde_json::json;

fn with_token() -> (Served, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let how = How { token: Some(token(folder.path())), ..How::default() };
    (Served::with(standard::engine(), how), folder)
}

const BUILD: &str = "POST /v1/build HTTP/1.1\r\nContent-Type: application/json";

#[test]
fn without_the_token_nothing_of_the_packs_is_told() {
    let (served, _folder) = with_token();
    let document = promptweave_preview::document();
    let paths = document["paths"].as_object().unwrap();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            if operation["security"] == json!([]) {
                continue;
            }
            let asked = path.replace("{kind}", "tool").replace("{id}", "0");
            let body: &[u8] = if method == "post" { b"{}" } else { b"" };
            let head = format!(
                "{} {asked} HTTP/1.1\r\nContent-Type: application/json",
                method.to_uppercase()
            );
            for wrong in [
                "",
                "\r\nAuthorization: Bearer wrong",
                "\r\nCookie: promptweave=1",
                "\r\nAuthorization: Basic YTpi",
            ] {
                let answer = served.ask(&format!("{head}{wrong}"), body);
                assert_eq!(
                    answer.problem(),
                    (401, "unauthorised".into()),
                    "{method} {path} {wrong}"
                );
            }
        }
    }
    for path in ["/healthz", "/metrics"] {
        let status = served.get(path).status;
        assert_eq!(status, if path == "/healthz" { 200 } else { 401 }, "{path}");
    }
}

#[test]
fn the_token_opens_and_becomes_a_cookie() {
    let (served, _folder) = with_token();
    let head = format!("{BUILD}\r\nAuthorization: Bearer {TOKEN}");
    assert_eq!(served.ask(&head, b"{}").status, 200);
    let wrong = served.post("/auth", &json!({ "token": "another" }));
    assert_eq!((wrong.problem().0, wrong.header("set-cookie")), (401, None));
    let long = served.post("/auth", &json!({ "token": "x".repeat(40_000) }));
    assert_eq!(long.problem().0, 413, "who is not known sends little");
    let answer = served.post("/auth", &json!({ "token": TOKEN }));
    assert_eq!(answer.status, 204);
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("; httponly; samesite=strict; path=/"), "{cookie}");
    assert!(!cookie.contains(TOKEN), "the cookie is not the token");
    let value = cookie.split(';').next().unwrap();
    let head = format!("GET /v1/tools HTTP/1.1\r\nCookie: {value}");
    assert_eq!(served.ask(&head, b"").status, 200);
    let other = value.replace('0', "1");
    assert_eq!(served.ask(&format!("GET /v1/tools HTTP/1.1\r\nCookie: {other}"), b"").status, 401);
}

#[test]
fn foreign_hosts_origins_and_types_are_refused() {
    let served = Served::new(standard::engine());
    let own = served.address;
    for (more, expected) in [
        (String::new(), (200, "")),
        (format!("Origin: http://{own}"), (200, "")),
        (format!("Origin: https://{own}"), (403, "foreign-origin")),
        ("Origin: https://localhost".into(), (403, "foreign-origin")),
        ("Content-Encoding: gzip".into(), (415, "body-encoded")),
        ("Host: evil.example".into(), (421, "foreign-host")),
        (format!("Host: evil.example:{}", own.port()), (421, "foreign-host")),
        ("Origin: http://evil.example".into(), (403, "foreign-origin")),
        ("Origin: null".into(), (403, "foreign-origin")),
        (format!("Origin: http://localhost:{}", own.port() ^ 1), (403, "foreign-origin")),
        ("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors".into(), (403, "foreign-origin")),
    ] {
        let head = if more.is_empty() { BUILD.to_owned() } else { format!("{BUILD}\r\n{more}") };
        let answer = served.ask(&head, b"{}");
        let told = if answer.status == 200 { (200, String::new()) } else { answer.problem() };
        assert_eq!(told, (expected.0, expected.1.to_owned()), "{more}");
        assert!(!answer.head.contains("access-control-"), "no CORS: {}", answer.head);
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/x-ndjson",
    ] {
        let head = format!("POST /v1/build HTTP/1.1\r\nContent-Type: {kind}");
        assert_eq!(served.ask(&head, b"{}").problem(), (415, "not-json".into()), "{kind}");
    }
    assert_eq!(served.ask("POST /v1/build HTTP/1.1", b"{}").problem().0, 415);
    let preflight = "OPTIONS /v1/build HTTP/1.1\r\nAccess-Control-Request-Method: POST";
    assert_eq!(served.ask(preflight, b"").status, 405);
}

#[test]
fn a_request_names_no_pack_plugin_or_path() {
    let served = Served::new(standard::engine());
    let names = [
        "pack",
        "packs",
        "plugin",
        "plugins",
        "plugin_config",
        "no_standard",
        "models",
        "path",
        "file",
        "context_file",
        "guard",
    ];
    for name in names {
        for path in ["/v1/build", "/v1/layers", "/v1/explain"] {
            let answer = served.post(path, &json!({ name: "/tmp/x" }));
            assert_eq!(answer.problem(), (422, "request-invalid".into()), "{path} {name}");
        }
        let inner = json!({ "a": {}, "b": { name: ["/tmp/x"] } });
        assert_eq!(served.post("/v1/diff", &inner).problem().0, 422, "{name}");
        let matrix = json!({ "contexts": [], name: true });
        assert_eq!(served.post("/v1/matrix", &matrix).problem().0, 422, "{name}");
        let parse = json!({ "reply": "", name: "x" });
        assert_eq!(served.post("/v1/parse", &parse).problem().0, 422, "{name}");
    }
    let dialect = json!({ "reply": "", "dialect": "/etc/passwd" });
    assert_eq!(served.post("/v1/parse", &dialect).problem().0, 422);
    for id in ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "pack.toml"] {
        assert_eq!(served.get(&format!("/v1/show/component/{id}")).problem().0, 404, "{id}");
    }
}

#[test]
fn answers_are_not_kept_framed_or_sniffed() {
    let served = Served::new(standard::engine());
    for answer in
        [served.get("/v1/tools"), served.get("/none"), served.post("/v1/build", &json!({}))]
    {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "deny"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{}", answer.head);
        }
        assert!(answer.header("x-request-id").is_some_and(|id| id.len() > 16));
    }
}
