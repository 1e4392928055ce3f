//! Makes the book of `docs/` by mdBook.
//!
//! In: mdBook, where it is installed. Out: pages below `target/book`, or what it warns about. Never: installs anything.

use std::process::Command;

use crate::{root, target};

/// Makes the book; a warning is an error.
pub(crate) fn run() -> Result<(), String> {
    let folder = target().join("book");
    let mut command = Command::new("mdbook");
    let output = command.arg("build").arg("--dest-dir").arg(&folder).current_dir(root()).output();
    let output = output.map_err(|error| {
        format!(
            "`mdbook` cannot be started: {error}\nhelp: install it: `cargo install mdbook --locked`"
        )
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || said.contains("WARN") || said.contains("ERROR") {
        return Err(format!("the book is not as it should be:\n{said}"));
    }
    eprintln!("{}", folder.join("index.html").display());
    Ok(())
}
