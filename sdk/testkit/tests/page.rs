//! The page of the checks is made from the checks themselves.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;
use std::path::Path;

use promptweave_testkit::{Stage, checks};

const HEAD: &str = "# What `plugin check` checks

`promptweave plugin check LIB|DIR` holds a plugin against what `promptweave.h` asks of it. Each check that loads code runs in a process of
its own, so that a crash or an endless call is a result like any other. A check passes, warns, fails, or is skipped with the reason: there
is nothing to check, or another check has told why it cannot be done. The exit status is 1 when one fails.

`validate.toml` beside the library says what an author knows better:

```toml
glibc = \"2.28\"                     # the newest glibc that the library may ask for
[off]
leak-10k = \"it keeps an index of at most 20 MB\"   # a reason is needed
[config]                           # for `init`; over the defaults of `plugin.toml`
greeting = \"You work in\"
[context]                          # values for calls, where those that are made up do not do
acme.index = { files = 3 }
[args]
shout = [\"hi\"]                     # a helper's arguments
```

Values that are not given are made up: known keys get one of their type, others a text.
";

#[test]
fn the_page_lists_every_check() {
    let mut page = String::from(HEAD);
    for stage in Stage::ALL {
        let name = stage.as_str();
        let (first, rest) = name.split_at(1);
        write!(page, "\n## {}{rest}\n\n{}\n\n", first.to_uppercase(), stage.about()).unwrap();
        page.push_str("| check | a plugin that passes |\n| --- | --- |\n");
        for check in checks().iter().filter(|check| check.stage == stage) {
            writeln!(page, "| `{}` | {} |", check.name, check.about).unwrap();
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plugin-checks.md");
    if std::env::var_os("PROMPTWEAVE_BLESS").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/plugin-checks.md is stale; run `cargo xtask bless`");
}
