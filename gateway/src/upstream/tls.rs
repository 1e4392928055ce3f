//! How upstreams prove who they are: by the system's certificates.
//!
//! In: the system's store. Out: what connections are made with. Never: a connection without a check.

use std::sync::Arc;

use promptweave::{Code, Diagnostic, Origin};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// Whether an upstream is reached by TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    Yes,
    No,
}

/// What connections are made with.
///
/// # Errors
/// The system has no certificates, and they are needed.
pub(crate) fn tls(needed: Needed) -> Result<ClientConfig, Box<Diagnostic>> {
    let mut roots = RootCertStore::empty();
    if needed == Needed::Yes {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(untrusting("the system has no certificates to check upstreams by"));
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    match builder.with_safe_default_protocol_versions() {
        Ok(builder) => Ok(builder.with_root_certificates(roots).with_no_client_auth()),
        Err(error) => Err(untrusting(&error.to_string())),
    }
}

fn untrusting(why: &str) -> Box<Diagnostic> {
    let told = Diagnostic::new(Code::InvalidValue, why, Origin::Engine);
    Box::new(told.help("install the package `ca-certificates`, or name a file in `SSL_CERT_FILE`"))
}
