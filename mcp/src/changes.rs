//! Tells clients what a reload changed.
//!
//! In: reloads, the URIs that a client follows. Out: notifications, as long as the client listens. Never: waits for a slow client to
//! have heard of each reload: the newest is told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use promptweave::{Engine, SourceFile};
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSendError};
use tokio::sync::watch;

use crate::packs::Packs;
use crate::refusal::Refusal;
use crate::resources;

/// URIs that a client may follow.
const MAX_FOLLOWED: usize = 1024;

/// The URIs that a client follows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed(Arc<Mutex<BTreeSet<String>>>);

impl Followed {
    pub(crate) fn add(&self, uri: String) -> Result<(), Refusal> {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.len() >= MAX_FOLLOWED && !followed.contains(&uri) {
            let why = format!("a client follows at most {MAX_FOLLOWED} resources");
            return Err(Refusal::failed("too-many-subscriptions", why));
        }
        followed.insert(uri);
        Ok(())
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uri);
    }

    fn all(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The reloads as one client meets them.
struct Reloads {
    receiver: watch::Receiver<Engine>,
    files: BTreeMap<String, Arc<SourceFile>>,
}

impl Reloads {
    fn new(packs: &Packs) -> Self {
        let mut receiver = packs.reloads();
        let files = texts(&receiver.borrow_and_update());
        Self { receiver, files }
    }

    /// Waits for the next reload; gives the URIs of the files that it changed, brought or took away. None when there will be none.
    async fn next(&mut self) -> Option<BTreeSet<String>> {
        self.receiver.changed().await.ok()?;
        let now = texts(&self.receiver.borrow_and_update());
        let before = std::mem::replace(&mut self.files, now);
        let differs = |uri: &&String| {
            let text = |files: &BTreeMap<String, Arc<SourceFile>>| {
                files.get(*uri).map(|file| file.text().to_owned())
            };
            text(&before) != text(&self.files)
        };
        Some(before.keys().chain(self.files.keys()).filter(differs).cloned().collect())
    }
}

fn texts(engine: &Engine) -> BTreeMap<String, Arc<SourceFile>> {
    resources::files(engine).into_iter().map(|(uri, file)| (uri, file.file)).collect()
}

/// Tells a client of each reload, until it is gone.
pub(crate) async fn tell(packs: Packs, peer: Peer<RoleServer>, followed: Followed) {
    let mut reloads = Reloads::new(&packs);
    while let Some(changed) = reloads.next().await {
        let lists = async {
            peer.notify_prompt_list_changed().await?;
            peer.notify_tool_list_changed().await?;
            peer.notify_resource_list_changed().await
        };
        if lists.await.is_err() {
            return;
        }
        for uri in followed.all().intersection(&changed) {
            let updated = ResourceUpdatedNotificationParam::new(uri);
            if peer.notify_resource_updated(updated).await.is_err() {
                return;
            }
        }
    }
}

/// The same for a client that asked to listen, and for what.
pub(crate) async fn listen(packs: &Packs, context: &SubscriptionContext) {
    let (accepted, mut reloads) = (context.accepted(), Reloads::new(packs));
    let followed: BTreeSet<String> =
        accepted.resource_subscriptions.iter().flatten().cloned().collect();
    while let Some(changed) = reloads.next().await {
        let sink = context.sink();
        let told = async {
            if accepted.prompts_list_changed == Some(true) {
                sink.notify_prompt_list_changed().await?;
            }
            if accepted.tools_list_changed == Some(true) {
                sink.notify_tool_list_changed().await?;
            }
            if accepted.resources_list_changed == Some(true) {
                sink.notify_resource_list_changed().await?;
            }
            for uri in followed.intersection(&changed) {
                sink.notify_resource_updated(uri).await?;
            }
            Ok::<(), SubscriptionSendError>(())
        };
        if told.await.is_err() {
            return;
        }
    }
}
