//! The machine and its user: `os`, `shell`, `home`.
//!
//! In: the environment of the process. Out: strings; nothing where the system does not say. Never: reads a
//! file.

use std::env;

use promptweave_plugin::{Cx, Error, Probe};

use crate::config::Config;
use crate::write;

/// `linux`, `macos`, `windows` and so on.
pub(crate) struct Os;

impl Probe<Config> for Os {
    const ID: &'static str = "os";
    const DESCRIPTION: &'static str = "The operating system";
    const KEY: &'static str = "os";

    fn probe(_: &Config, cx: &mut Cx<'_>) -> Result<(), Error> {
        write(cx, &env::consts::OS)
    }
}

pub(crate) struct Shell;

impl Probe<Config> for Shell {
    const ID: &'static str = "shell";
    const DESCRIPTION: &'static str = "The user's shell, from `SHELL` or `COMSPEC`";
    const KEY: &'static str = "shell";

    fn probe(_: &Config, cx: &mut Cx<'_>) -> Result<(), Error> {
        match env::var_os("SHELL").or_else(|| env::var_os("COMSPEC")) {
            Some(shell) => write(cx, &shell.to_string_lossy()),
            None => Ok(()),
        }
    }
}

pub(crate) struct Home;

impl Probe<Config> for Home {
    const ID: &'static str = "home";
    const DESCRIPTION: &'static str = "The user's home folder";
    const KEY: &'static str = "home";

    fn probe(_: &Config, cx: &mut Cx<'_>) -> Result<(), Error> {
        match env::home_dir() {
            Some(home) => write(cx, &home.to_string_lossy()),
            None => Ok(()),
        }
    }
}
