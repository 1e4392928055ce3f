//! An engine that follows its files.
//!
//! In: a way to build an engine, the files and folders that it comes from. Out: the newest engine that was built without an error.
//! Never: changes an engine that somebody uses; a build runs on the snapshot that it began with.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, mpsc};
use std::time::Duration;
use std::{io, thread};

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use promptweave::{Engine, Error, Severity};

/// Files that change together, as when an editor saves or a build writes, make one build: after so long
/// without another change.
const QUIET: Duration = Duration::from_millis(80);
/// A place that keeps changing does not put the build off longer than this.
const LONGEST: Duration = Duration::from_secs(2);

/// An engine that is built again when its files change.
///
/// ```no_run
/// # use promptweave::Engine;
/// # use promptweave_loader::Live;
/// let live = Live::start(&["packs/acme"], || Engine::builder().pack_dir("packs/acme").build())?;
/// let engine = live.engine(); // as it is now; take it anew for each prompt
/// # Ok::<(), promptweave_loader::WatchError>(())
/// ```
pub struct Live<E = Error> {
    current: Arc<RwLock<Engine>>,
    reloads: mpsc::Receiver<Reload<E>>,
    /// Notifications end with it, and so does the thread.
    _watcher: RecommendedWatcher,
}

/// What came of a change.
#[derive(Debug)]
pub enum Reload<E = Error> {
    /// There is a new engine.
    New(Engine),
    /// This one has errors, as its diagnostics tell; the last one stays in force.
    Kept(Engine),
    /// There is none; the last one stays in force.
    Failed(E),
}

/// Why nothing is followed.
#[derive(Debug, thiserror::Error)]
pub enum WatchError<E = Error> {
    /// The first engine cannot be built.
    #[error("the first engine cannot be built")]
    Engine(E),
    /// The system tells of no changes at all.
    #[error("changes cannot be followed: {0}")]
    System(notify::Error),
    /// The system does not tell of changes there.
    #[error("changes of `{}` cannot be followed: {cause}", path.display())]
    Path {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        cause: notify::Error,
    },
    /// There is no thread for it.
    #[error("there is no thread to build on: {0}")]
    Thread(#[from] io::Error),
}

impl<E: Send + 'static> Live<E> {
    /// Builds the first engine, then builds again after each change below these paths; those that do not exist are
    /// not followed.
    ///
    /// An engine with an error among its diagnostics does not replace one that has none.
    ///
    /// # Errors
    /// [`WatchError`].
    pub fn start<P: AsRef<Path>>(
        paths: &[P],
        build: impl Fn() -> Result<Engine, E> + Send + 'static,
    ) -> Result<Self, WatchError<E>> {
        let (changes, changed) = mpsc::channel();
        let paths = paths.iter().map(AsRef::as_ref).filter(|path| path.exists());
        let paths: Vec<PathBuf> = paths.map(std::path::absolute).collect::<io::Result<_>>()?;
        let roots = paths.clone();
        let told = move |event: notify::Result<Event>| {
            if event.as_ref().map_or(true, |event| is_change(event, &roots)) {
                let _ = changes.send(());
            }
        };
        let mut watcher = notify::recommended_watcher(told).map_err(WatchError::System)?;
        for path in &paths {
            let (place, depth) = followed(path);
            watcher
                .watch(place, depth)
                .map_err(|cause| WatchError::Path { path: path.clone(), cause })?;
        }
        let current = Arc::new(RwLock::new(build().map_err(WatchError::Engine)?));
        let (reloaded, reloads) = mpsc::channel();
        let shared = Arc::clone(&current);
        thread::Builder::new().name("promptweave-watch".into()).spawn(move || {
            while changed.recv().is_ok() {
                settle(&changed);
                let reload = rebuild(&shared, &build);
                // Nobody need listen: the engine is there.
                let _ = reloaded.send(reload);
            }
        })?;
        Ok(Self { current, reloads, _watcher: watcher })
    }

    /// The engine as it is now. A prompt that is being built keeps the one that it began with.
    pub fn engine(&self) -> Engine {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the next reload; none after that long without one.
    pub fn wait(&self, at_most: Duration) -> Option<Reload<E>> {
        self.reloads.recv_timeout(at_most).ok()
    }
}

/// What is watched for a path: a file's folder, for who writes a file often puts another one in its place.
fn followed(path: &Path) -> (&Path, RecursiveMode) {
    match path.parent().filter(|_| path.is_file()) {
        Some(folder) => (folder, RecursiveMode::NonRecursive),
        None => (path, RecursiveMode::Recursive),
    }
}

/// Whether what is followed may be another one now; reading is no change.
fn is_change(event: &Event, roots: &[PathBuf]) -> bool {
    if !event.paths.iter().any(|path| roots.iter().any(|root| path.starts_with(root))) {
        return event.need_rescan();
    }
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

/// Waits until changes have ended for a while.
fn settle(changed: &mpsc::Receiver<()>) {
    let until = std::time::Instant::now() + LONGEST;
    while std::time::Instant::now() < until && changed.recv_timeout(QUIET).is_ok() {}
}

fn rebuild<E>(current: &RwLock<Engine>, build: &impl Fn() -> Result<Engine, E>) -> Reload<E> {
    let new = match build() {
        Ok(new) => new,
        Err(error) => return Reload::Failed(error),
    };
    let mut current = current.write().unwrap_or_else(PoisonError::into_inner);
    if is_broken(&new) && !is_broken(&current) {
        return Reload::Kept(new);
    }
    *current = new.clone();
    Reload::New(new)
}

fn is_broken(engine: &Engine) -> bool {
    engine.diagnostics().iter().any(|one| one.severity == Severity::Error)
}
