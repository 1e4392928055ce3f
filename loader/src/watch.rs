//! An engine that follows its files.
//!
//! In: a way to build an engine, the files and folders that it comes from. Out: the newest engine that was built without an error.
//! Never: changes an engine that somebody uses; a build runs on the snapshot that it began with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, Weak, mpsc};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io, thread};

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use promptweave::{Engine, Error, Severity};

/// Files that change together, as when an editor saves or a build writes, make one build: after so long
/// without another change.
const QUIET: Duration = Duration::from_millis(80);
/// A place that keeps changing does not put the build off longer than this.
const LONGEST: Duration = Duration::from_secs(2);
/// The system tells what happens in a place, and not that another one stands there: that is looked at so often.
const LOOK: Duration = Duration::from_millis(500);

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
    /// When it is dropped, the thread that follows the files ends.
    current: Arc<RwLock<Engine>>,
    reloads: mpsc::Receiver<Reload<E>>,
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
    /// Builds the first engine, then builds again after each change below these paths. A path need not exist: it is followed when it
    /// does, also when it was deleted, moved away or replaced meanwhile.
    ///
    /// An engine with an error among its diagnostics does not replace one that has none.
    ///
    /// # Errors
    /// [`WatchError`].
    pub fn start<P: AsRef<Path>>(
        paths: &[P],
        build: impl Fn() -> Result<Engine, E> + Send + 'static,
    ) -> Result<Self, WatchError<E>> {
        let paths = paths.iter().map(std::path::absolute).collect::<io::Result<_>>()?;
        let (changes, changed) = mpsc::channel();
        let mut followed = Followed::new(paths, changes).map_err(Unfollowed::into_error)?;
        let current = Arc::new(RwLock::new(build().map_err(WatchError::Engine)?));
        let (reloaded, reloads) = mpsc::channel();
        let shared = Arc::downgrade(&current);
        thread::Builder::new().name("promptweave-watch".into()).spawn(move || {
            while let Some(current) = followed.wait(&changed, &shared) {
                // Nobody need listen: the engine is there.
                let _ = reloaded.send(rebuild(&current, &build));
            }
        })?;
        Ok(Self { current, reloads })
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

/// Paths, and what stands there.
struct Followed {
    paths: Vec<PathBuf>,
    places: Vec<Option<Place>>,
    changes: mpsc::Sender<()>,
    /// Notifications end with it.
    _watcher: RecommendedWatcher,
}

/// What is watched for a path: the folder that it is, or that of the file that it is, for who writes a file often puts another one in
/// its place.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    folder: PathBuf,
    is_whole: bool,
    identity: Identity,
}

/// Tells a folder from another one at the same path.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    number: u64,
    /// Numbers are used again.
    created: Option<SystemTime>,
}

/// The system does not tell of changes, perhaps of those of one path.
struct Unfollowed(Option<PathBuf>, notify::Error);

impl Unfollowed {
    fn into_error<E>(self) -> WatchError<E> {
        match self {
            Self(None, cause) => WatchError::System(cause),
            Self(Some(path), cause) => WatchError::Path { path, cause },
        }
    }
}

impl Followed {
    fn new(paths: Vec<PathBuf>, changes: mpsc::Sender<()>) -> Result<Self, Unfollowed> {
        let places: Vec<_> = paths.iter().map(|path| Place::of(path)).collect();
        let watcher = watcher(&paths, &places, changes.clone())?;
        Ok(Self { paths, places, changes, _watcher: watcher })
    }

    /// Waits for a change, and for the end of those that come with it; none when nobody holds the engine any more.
    fn wait(
        &mut self,
        changed: &mpsc::Receiver<()>,
        engine: &Weak<RwLock<Engine>>,
    ) -> Option<Arc<RwLock<Engine>>> {
        loop {
            let is_changed = changed.recv_timeout(LOOK).is_ok();
            let engine = engine.upgrade()?;
            if is_changed {
                settle(changed);
            }
            if self.look() || is_changed {
                return Some(engine);
            }
        }
    }

    /// Whether something else stands at one of the paths now; then that is watched.
    fn look(&mut self) -> bool {
        let places: Vec<_> = self.paths.iter().map(|path| Place::of(path)).collect();
        if places == self.places {
            return false;
        }
        match watcher(&self.paths, &places, self.changes.clone()) {
            Ok(watcher) => self._watcher = watcher,
            Err(Unfollowed(path, error)) => {
                tracing::warn!(?path, %error, "changes cannot be followed");
            }
        }
        self.places = places;
        true
    }
}

/// Tells of all that happens in these places to these paths.
fn watcher(
    paths: &[PathBuf],
    places: &[Option<Place>],
    changes: mpsc::Sender<()>,
) -> Result<RecommendedWatcher, Unfollowed> {
    let roots = paths.to_vec();
    let told = move |event: notify::Result<Event>| {
        if event.as_ref().map_or(true, |event| is_change(event, &roots)) {
            let _ = changes.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(told).map_err(|cause| Unfollowed(None, cause))?;
    // A folder that is watched whole for one path is so for all.
    let mut folders: BTreeMap<&Path, bool> = BTreeMap::new();
    for place in places.iter().flatten() {
        *folders.entry(&place.folder).or_default() |= place.is_whole;
    }
    for (folder, is_whole) in folders {
        let depth = if is_whole { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        match watcher.watch(folder, depth) {
            // It has gone since it was looked at, which the next look will see.
            Err(_) if !folder.exists() => {}
            watched => watched.map_err(|cause| Unfollowed(Some(folder.into()), cause))?,
        }
    }
    Ok(watcher)
}

impl Place {
    /// None while there is nothing at the path.
    fn of(path: &Path) -> Option<Self> {
        let is_whole = fs::metadata(path).ok()?.is_dir();
        let folder = if is_whole { path } else { path.parent()? };
        let identity = Identity::of(&fs::metadata(folder).ok()?);
        Some(Self { folder: folder.into(), is_whole, identity })
    }
}

impl Identity {
    fn of(about: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(about);
        #[cfg(not(unix))]
        let number = 0;
        Self { number, created: about.created().ok() }
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
    let until = Instant::now() + LONGEST;
    while Instant::now() < until && changed.recv_timeout(QUIET).is_ok() {}
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
