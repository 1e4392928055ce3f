//! Plugins, as options name them.
//!
//! In: options, an engine of the packs. Out: plugins that are started. Never: looks where it was not told to.

use promptweave::{Engine, Origin};
use promptweave_loader::{Given, HostProgram, Plugins, PluginsBuilder};

use crate::options::PluginOptions;

/// Starts the plugins; `bare` says what the packs say of them.
pub(crate) fn started(options: &PluginOptions, bare: &Engine) -> Plugins {
    let PluginOptions { paths, data, host, isolation, config, workspace, home } = options;
    let mut builder = Plugins::builder().isolation((*isolation).into());
    builder = paths.iter().fold(builder, PluginsBuilder::plugin);
    builder = data.iter().fold(builder, PluginsBuilder::data);
    builder = workspace.iter().fold(builder, PluginsBuilder::workspace);
    builder = home.iter().fold(builder, PluginsBuilder::home);
    if let Some(path) = host {
        builder = builder.program(HostProgram { path: path.clone(), args: Vec::new() });
    }
    for (name, keys) in config {
        builder = builder.config(name, Given::of_table(keys, &Origin::Engine));
    }
    builder.of_packs(bare.registry()).load()
}
