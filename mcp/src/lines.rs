//! Speaks in lines: one message of JSON on each.
//!
//! In: bytes of a client, messages for it. Out: its messages, lines of JSON. Never: holds more of a line than a line may have, leaves a
//! request without an answer, or ends before the last answer is written.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use promptweave_loopback::Limits;
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    Notification, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tokio::sync::{Mutex, mpsc, watch};

use crate::message::{self, Heard, Refused};

/// Messages that were read and not yet looked at.
const READ_AHEAD: usize = 16;

/// A client that writes lines and reads them. Cheap to clone; all clones hear and answer the same client.
pub(crate) struct Lines<W> {
    heard: Arc<Mutex<mpsc::Receiver<ClientJsonRpcMessage>>>,
    output: Arc<Output<W>>,
}

impl<W> Clone for Lines<W> {
    fn clone(&self) -> Self {
        Self { heard: Arc::clone(&self.heard), output: Arc::clone(&self.output) }
    }
}

/// Where answers go.
struct Output<W> {
    writer: Mutex<W>,
    asked: watch::Sender<Asked>,
}

/// The requests that have no answer yet.
#[derive(Default)]
struct Asked {
    /// Those that will have one.
    waiting: HashSet<RequestId>,
    /// Those that have one when the client asks for no more: there is nothing to wait for.
    listening: HashSet<RequestId>,
}

impl Asked {
    fn has(&self, id: &RequestId) -> bool {
        self.waiting.contains(id) || self.listening.contains(id)
    }

    fn forget(&mut self, id: &RequestId) {
        self.waiting.remove(id);
        self.listening.remove(id);
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// The client, and what reads its input: it must be polled, and ends after the last answer.
    pub(crate) fn new<R>(input: R, output: W) -> (Self, impl Future<Output = ()> + Send)
    where
        R: AsyncRead + Send + Unpin + 'static,
    {
        let output = Output { writer: Mutex::new(output), asked: watch::Sender::default() };
        let (to, heard) = mpsc::channel(READ_AHEAD);
        let lines = Self { heard: Arc::new(Mutex::new(heard)), output: Arc::new(output) };
        let reads = hear(BufReader::new(input), Arc::clone(&lines.output), to);
        (lines, reads)
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let answered = match &message {
                ServerJsonRpcMessage::Response(response) => Some(&response.id),
                ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
                ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
            };
            output.write(&message, answered).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.heard.lock().await.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.writer.lock().await.flush().await
    }
}

impl<W: AsyncWrite + Unpin> Output<W> {
    async fn write(
        &self,
        message: &impl Serialize,
        answered: Option<&RequestId>,
    ) -> io::Result<()> {
        let mut writer = self.writer.lock().await;
        // Whoever reads the answer may use its id again.
        if let Some(id) = answered {
            self.asked.send_modify(|asked| asked.forget(id));
        }
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        writer.write_all(&line).await?;
        writer.flush().await
    }

    /// Waits until every request has its answer.
    async fn answered(&self) {
        let mut asked = self.asked.subscribe();
        // The sender is here.
        let _ = asked.wait_for(|asked| asked.waiting.is_empty()).await;
        // The last of them may still be on its way.
        drop(self.writer.lock().await);
    }

    /// The requests of those who listen as long as they are there.
    fn listening(&self) -> Vec<RequestId> {
        self.asked.borrow().listening.iter().cloned().collect()
    }

    /// Notes what a message means for those that wait.
    fn note(&self, message: &ClientJsonRpcMessage) -> Result<(), Refused> {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                let id = request.id.clone();
                if self.asked.borrow().has(&id) {
                    return Err(Refused::repeated(id.into_json_value()));
                }
                self.asked.send_modify(|asked| {
                    match request.request {
                        ClientRequest::SubscriptionsListenRequest(_) => asked.listening.insert(id),
                        _ => asked.waiting.insert(id),
                    };
                });
            }
            ClientJsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(told) = &told.notification {
                    // Such a request has no answer.
                    let id = told.params.request_id.iter();
                    id.for_each(|id| self.asked.send_modify(|asked| asked.forget(id)));
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
        Ok(())
    }
}

/// Reads to the end of the input; then waits for the answers to all that was read, and lets go who listens.
async fn hear<R, W>(mut input: R, output: Arc<Output<W>>, to: mpsc::Sender<ClientJsonRpcMessage>)
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let most = Limits::default().body_bytes;
    // An input that cannot be read is at its end.
    while let Ok(Some(line)) = next_line(&mut input, most).await {
        let heard = match line {
            Line::TooLong => Err(Refused::too_long(most)),
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => message::read(&line),
        };
        let taken = heard.and_then(|heard| match heard {
            Heard::Nothing => Ok(None),
            Heard::Message(message) => output.note(&message).map(|()| Some(message)),
        });
        match taken {
            Ok(None) => {}
            Ok(Some(message)) => {
                if to.send(*message).await.is_err() {
                    return;
                }
            }
            Err(refused) => {
                if output.write(&refused.to_json(), None).await.is_err() {
                    return;
                }
            }
        }
    }
    output.answered().await;
    for id in output.listening() {
        let gone = CancelledNotificationParam::new(Some(id), None);
        let gone = ClientNotification::CancelledNotification(Notification::new(gone));
        if to.send(ClientJsonRpcMessage::notification(gone)).await.is_err() {
            return;
        }
    }
}

/// A line without its end.
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The next line of at most so many bytes, none at the end; the last one needs no line break.
async fn next_line(
    input: &mut (impl AsyncBufRead + Unpin),
    most: usize,
) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut limited = input.take(most as u64 + 1);
    if limited.read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Some(Line::Whole(line)));
    }
    if line.len() <= most {
        return Ok(Some(Line::Whole(line)));
    }
    loop {
        let rest = limited.get_mut().fill_buf().await?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(rest.len(), |end| end + 1);
        limited.get_mut().consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(Some(Line::TooLong));
        }
    }
}
