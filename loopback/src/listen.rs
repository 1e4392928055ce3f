//! Binds a port.
//!
//! In: an address, whether there is a token. Out: a listener. Never: listens to other machines without a token.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

use crate::token::Token;

/// Connections that the system keeps until they are accepted; it may allow fewer.
const BACKLOG: u32 = 4096;

/// Why nothing listens.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Other machines would reach it without a token.
    #[error("`{0}` is reached by other machines, and there is no token")]
    NoToken(SocketAddr),
    /// Another program listens there.
    #[error("`{0}` is in use by another program")]
    InUse(SocketAddr),
    /// The system does not give the port.
    #[error("`{address}` cannot be listened to: {cause}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        cause: io::Error,
    },
}

/// Listens at an address, and says which it is: port 0 becomes a free one. Without a token the address must be one of loopback.
///
/// Other users of the machine reach a port on loopback too: without a token whoever has an account may ask.
///
/// # Errors
/// [`ListenError`].
pub async fn listen(
    address: SocketAddr,
    token: Option<&Token>,
) -> Result<(TcpListener, SocketAddr), ListenError> {
    if !address.ip().to_canonical().is_loopback() && token.is_none() {
        return Err(ListenError::NoToken(address));
    }
    let bind = |cause: io::Error| match cause.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse(address),
        _ => ListenError::Bind { address, cause },
    };
    let listener = bound(address).map_err(bind)?;
    let own = listener.local_addr().map_err(bind)?;
    Ok((listener, own))
}

/// The usual queue is shorter than a burst of clients: those that do not fit would be cut off without an answer.
fn bound(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // As everywhere but on Windows, where it would let two programs share the port.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn other_machines_need_a_token() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let address: SocketAddr = address.parse().unwrap();
            assert!(
                matches!(listen(address, None).await, Err(ListenError::NoToken(at)) if at == address)
            );
        }
        let (_listener, address) = listen(([127, 0, 0, 1], 0).into(), None).await.unwrap();
        assert_ne!(address.port(), 0);
        assert!(
            matches!(listen(address, None).await, Err(ListenError::InUse(at)) if at == address)
        );
        let elsewhere = ([192, 0, 2, 1], 0).into();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "0123456789abcdef").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        let token = Token::from_file(&file).unwrap();
        assert!(matches!(listen(elsewhere, Some(&token)).await, Err(ListenError::Bind { .. })));
    }
}
