//! Decides what may be loaded, and where it runs.
//!
//! In: a candidate, the list of what is trusted, the user's policy and keys. Out: a [`Verdict`].
//! Never: grants more than the policy, the trust entry and the manifest all allow.

use promptweave::{Code, Diagnostic, Origin, SourceFile};
use serde::Serialize;

use crate::config::{NativePolicy, Policy, Require};
use crate::discover::{Candidate, Content, Place};
use crate::lock::{Grant, Lock, Part, State};
use crate::manifest::Isolation;
use crate::object::Language;
use crate::signature::{Keys, Signed};

/// What decides about plugins.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'j> {
    /// What the user trusts.
    pub lock: &'j Lock,
    /// What the user allows at all.
    pub policy: &'j Policy,
    /// Whose signatures count.
    pub keys: &'j Keys,
}

/// Whether a plugin is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be loaded with this grant, there.
    Load(Grant, Runs),
    /// It is trusted, but native plugins are switched off.
    Off(Grant),
    /// The user has not trusted it.
    Untrusted,
    /// It would be trusted, but the policy asks for a signature by a pinned key.
    Unsigned,
    /// It is not what was trusted.
    Changed(Vec<Part>),
    /// It is not there, or not for this machine.
    Missing,
    /// Something about it is wrong.
    Refused,
}

/// Where a plugin runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Runs {
    /// Nowhere: it is a pack without code.
    Declarative,
    /// In a child process.
    Process,
    /// In the host's process.
    InProc,
}

impl Runs {
    /// `declarative`, `process` or `inproc`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Declarative => "declarative",
            Self::Process => Isolation::Process.as_str(),
            Self::InProc => Isolation::InProc.as_str(),
        }
    }
}

impl Verdict {
    /// `trusted`, `off`, `untrusted`, `unsigned`, `changed`, `missing` or `refused`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Load(..) => "trusted",
            Self::Off(_) => "off",
            Self::Untrusted => "untrusted",
            Self::Unsigned => "unsigned",
            Self::Changed(_) => "changed",
            Self::Missing => "missing",
            Self::Refused => "refused",
        }
    }
}

impl Judge<'_> {
    /// Whether and where a plugin may be loaded.
    ///
    /// One that the user named runs in a child process without an entry of its own. A project's or a
    /// pack's is loaded by its entry only, whatever the policy requires.
    pub fn verdict(&self, candidate: &Candidate) -> Verdict {
        let is_missing = |told: &Diagnostic| told.code == Code::PluginMissing;
        if candidate.diagnostics.iter().any(is_missing) {
            return Verdict::Missing;
        }
        if candidate.is_refused() || candidate.content == Content::Missing {
            return Verdict::Refused;
        }
        let grant = match (self.lock.state(candidate), self.consent(candidate)) {
            (State::Trusted(grant), _) | (_, Some(grant)) => grant,
            (State::Changed { what, .. }, None) => return Verdict::Changed(what),
            (State::Untrusted, None) => return Verdict::Untrusted,
        };
        if self.policy.require == Require::LockAndSignature && !self.is_vouched(candidate) {
            return Verdict::Unsigned;
        }
        match self.runs(candidate, &grant) {
            Some(runs) => Verdict::Load(grant, runs),
            None => Verdict::Off(grant),
        }
    }

    /// Who signed a candidate's manifest.
    pub fn signed(&self, candidate: &Candidate) -> Signed {
        match &candidate.manifest {
            Some(manifest) if candidate.manifest_sha256.is_some() => {
                let text = manifest.source.text().as_bytes();
                self.keys.signed(&candidate.name, text, candidate.signature.as_deref())
            }
            Some(_) | None => Signed::Nobody,
        }
    }

    /// A manifest lists the digests of libraries, so a signature covers them; the files of a plugin
    /// without code are covered by their entry alone.
    fn is_vouched(&self, candidate: &Candidate) -> bool {
        candidate.library().is_none() || matches!(self.signed(candidate), Signed::By(_))
    }

    /// What counts without an entry: a child process, for what the user named or where the policy
    /// requires nothing.
    fn consent(&self, candidate: &Candidate) -> Option<Grant> {
        let consents = match (candidate.place, self.policy.require) {
            (Place::Named, _) | (Place::SearchPath | Place::User, Require::Off) => true,
            (Place::SearchPath | Place::User, Require::Lock | Require::LockAndSignature)
            | (Place::Project | Place::Pack, _) => false,
        };
        consents.then(|| Grant::of(candidate, "")).flatten()
    }

    fn runs(&self, candidate: &Candidate, grant: &Grant) -> Option<Runs> {
        if candidate.library().is_none() {
            return Some(Runs::Declarative);
        }
        match (self.policy.isolation, grant.isolation) {
            (NativePolicy::Off, _) => None,
            (NativePolicy::InProc, Isolation::InProc) if may_run_in_proc(candidate) => {
                Some(Runs::InProc)
            }
            (NativePolicy::InProc | NativePolicy::Process, _) => Some(Runs::Process),
        }
    }

    /// Why a plugin is not loaded; none when it is, or when its own diagnostics say so.
    pub fn diagnostic(&self, candidate: &Candidate) -> Option<Diagnostic> {
        let (name, path) = (&candidate.name, candidate.path.display());
        let trust = || format!("look at it, then run `promptweave plugin trust {path}`");
        let (code, message, help) = match self.verdict(candidate) {
            Verdict::Load(..) | Verdict::Missing | Verdict::Refused => return None,
            Verdict::Off(_) => {
                let help = "set `isolation` of `[policy]` to `process`".into();
                (Code::PluginOff, format!("native plugins are off; `{name}` is not loaded"), help)
            }
            Verdict::Untrusted => {
                (Code::PluginUntrusted, format!("the plugin `{name}` is not trusted"), trust())
            }
            Verdict::Unsigned => {
                let signed = self.signed(candidate);
                let message = format!("the plugin `{name}` does not count as signed: {signed}");
                (Code::PluginUntrusted, message, "pin its author's key in `[keys]`".into())
            }
            Verdict::Changed(what) => {
                let what: Vec<String> = what.iter().map(Part::to_string).collect();
                let message =
                    format!("the plugin `{name}` is not as it was trusted: {}", what.join(", "));
                (Code::PluginChanged, message, trust())
            }
        };
        let file = SourceFile::new(path.to_string(), "");
        Some(Diagnostic::new(code, message, Origin::file(&file, 0..0)).help(help))
    }
}

/// Whether a plugin could run in the host's process at all: its author does not ask for a child, and
/// it brings no Go runtime, of which a process holds one.
pub fn may_run_in_proc(candidate: &Candidate) -> bool {
    if candidate.object.as_ref().is_some_and(|facts| facts.language == Language::Go) {
        return false;
    }
    let asked = candidate.manifest.as_ref().and_then(|manifest| manifest.run.isolation);
    asked != Some(Isolation::Process)
}
