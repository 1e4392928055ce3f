//! The page of diagnostic codes is made from the codes themselves.

use std::fmt::Write;
use std::path::Path;

use promptweave::Code;

#[test]
fn the_page_lists_every_code() {
    let mut page = String::from(
        "# Diagnostic codes\n\n\
         Stable names, for tools. In strict mode the first warning or error of a build is its error; notes never fail anything.\n\n\
         | code | severity | what it says |\n| --- | --- | --- |\n",
    );
    for code in Code::ALL {
        writeln!(
            page,
            "| `{}` | {} | {} |",
            code.as_str(),
            code.severity().as_str(),
            code.meaning()
        )
        .expect("a string takes it");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/codes.md");
    if std::env::var_os("PROMPTWEAVE_BLESS").is_some() {
        std::fs::write(&file, &page).expect("docs/ can be written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/codes.md is stale; run `cargo xtask bless`");
}
