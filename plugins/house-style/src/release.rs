//! A matcher: says when the variant `house-release` is meant.
//!
//! In: the branch. Out: yes or no. Never: looks at the repository; the host, or a probe, put the branch
//! into the context.

use promptweave_plugin::{Cx, Error, Matcher};

use crate::style::Style;

pub(crate) struct ReleaseBranch;

impl Matcher<Style> for ReleaseBranch {
    const ID: &'static str = "release_branch";
    const DESCRIPTION: &'static str = "The branch is named `release/` and a version";
    // What is not named here cannot be read.
    const DEPS: &'static [&'static str] = &["git.branch"];

    fn matches(_: &Style, cx: &mut Cx<'_>) -> Result<bool, Error> {
        let branch = cx.get_str("git.branch")?;
        Ok(branch.and_then(|branch| branch.strip_prefix("release/")).is_some_and(is_version))
    }
}

/// Numbers with dots between, such as `1.20`.
fn is_version(text: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split('.').all(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (text, expected) in
            [("1", true), ("1.20.3", true), ("", false), ("1.", false), ("1.x", false)]
        {
            assert_eq!(is_version(text), expected, "{text}");
        }
    }
}
