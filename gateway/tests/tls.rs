//! Upstreams behind TLS and HTTP/2: by a certificate that is trusted, and by one that is not.
//!
//! Which certificates are trusted is said by the environment of a process, so each case is this program once more.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{CHAT, Say, Upstream, ask, config, gateway, streamed};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Where a case finds its certificate and its key.
const FOLDER: &str = "WEAVE_TLS_FOLDER";

/// Runs a case in a process of its own.
fn case(name: &str, trusted: Option<&Path>, folder: &Path) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", name]).env(FOLDER, folder);
    command.env_remove("SSL_CERT_DIR").env_remove("SSL_CERT_FILE");
    if let Some(file) = trusted {
        command.env("SSL_CERT_FILE", file);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn an_upstream_proves_who_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("certificate"), own.cert.pem()).unwrap();
    std::fs::write(path("key"), own.signing_key.serialize_pem()).unwrap();
    std::fs::write(path("other"), other.cert.pem()).unwrap();
    case("trusted", Some(&path("certificate")), folder.path());
    case("untrusted", Some(&path("other")), folder.path());
}

/// The same upstream behind TLS, by HTTP/2 alone.
async fn secured(upstream: &Upstream) -> SocketAddr {
    let folder = std::env::var(FOLDER).unwrap();
    let path = |name: &str| Path::new(&folder).join(name);
    let certificate = CertificateDer::from_pem_file(path("certificate")).unwrap();
    let key = PrivateKeyDer::from_pem_file(path("key")).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut tls = builder.with_single_cert(vec![certificate], key).unwrap();
    tls.alpn_protocols = vec![b"h2".to_vec()];
    let (acceptor, own) = (TlsAcceptor::from(Arc::new(tls)), upstream.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            let own = own.clone();
            let service = service_fn(move |request| {
                let own = own.clone();
                async move { Ok::<_, Infallible>(own.answer(request).await) }
            });
            let http = http2::Builder::new(TokioExecutor::new());
            tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
        }
    });
    addr
}

/// What a client gets of an upstream behind TLS.
async fn reply() -> common::Reply {
    let upstream = Upstream::start([Say::sse(CHAT)]).await;
    let addr = secured(&upstream).await;
    let text = config("openai-chat", addr, "retries = 0");
    let text =
        text.replace(&format!("http://{addr}"), &format!("https://localhost:{}", addr.port()));
    ask(&gateway(&text).await, &streamed()).await
}

#[tokio::test]
#[ignore = "run by `an_upstream_proves_who_it_is`"]
async fn trusted() {
    let reply = reply().await;
    assert_eq!(reply.events().last(), Some(&"message_stop"), "{}", reply.text);
}

#[tokio::test]
#[ignore = "run by `an_upstream_proves_who_it_is`"]
async fn untrusted() {
    let reply = reply().await;
    assert_eq!(reply.json()["error"]["message"], "upstream `up` cannot be reached");
}
