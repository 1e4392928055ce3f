//! Says how the addon is linked.
//!
//! In: nothing. Out: instructions for cargo. Never: looks for Node; its symbols are found when it loads the addon.

fn main() {
    napi_build::setup();
}
