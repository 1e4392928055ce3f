//! Whatever stands in a file: no panic, bounded time and memory, and the rest still loads.

use proptest::prelude::*;

use super::*;

const PATHS: &[&str] = &[
    "pack.toml",
    "patch.toml",
    "generic.toml",
    "generic@2.toml",
    "generic.hbs",
    "components/rules.toml",
    "components/rules.md",
    "tools/read_file.toml",
    "partials/intro.hbs",
];

/// A file of random words of the format, so that deep places are reached.
fn words() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "[match]\n",
        "[patch]\n",
        "[[patch]]\n",
        "[[case]]\n",
        "[override.rules]\n",
        "extends = ",
        "order = ",
        "version = ",
        "template = ",
        "text = ",
        "insert = [{ component = 'a', ",
        "after = 'rules' }]\n",
        "'generic'\n",
        "'''\n",
        "\"\\u00e9\"\n",
        "['rules']\n",
        "2\n",
        "-1\n",
        "true\n",
        "1979-05-27\n",
        "nan\n",
        "+++\n",
        "models = ",
        "variants = ['*']\n",
        "[context.'a.b']\n",
        "[labels.generic]\n",
        "stable = ",
        "[[parameter]]\n",
        "name = ",
        "[variant.x]\n",
        "base_sha256 = ",
        "é",
        "\n",
        "{",
        "}",
        "[",
        "]",
        "=",
        "'",
        "\"",
        "#",
        "remove = ",
        "tools = { add = ['a'], remove = ['b'] }\n",
        "when = ",
        "cache = 'volatile'\n",
    ]);
    prop::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_words_never_panic(
        texts in prop::collection::vec(words(), PATHS.len()),
        other in prop::collection::vec(words(), PATHS.len()),
    ) {
        let stack = [texts, other].map(|texts| {
            let files = PATHS.iter().copied().zip(texts);
            let source = Arc::new(MemorySource::new("random", files));
            Layer { source, kind: LayerKind::Pack, components: Vec::new() }
        });
        for diagnostic in load(&stack).1 {
            prop_assert!(diagnostic.help.is_some() && !diagnostic.to_string().is_empty());
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..PATHS.len()) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut files = vec![("pack.toml", "name = 'a'".to_owned())];
        files.push((PATHS[at], text));
        let source = Arc::new(MemorySource::new("random", files));
        load(&[Layer { source, kind: LayerKind::Extension, components: Vec::new() }]);
    }
}

#[test]
fn the_rest_still_loads() {
    let (registry, told) = load(&[pack(
        "demo",
        "
== broken.toml
order = [
== wrong.toml
order = [1, 'rules', 2]
separator = 3
tidy = 'off'
== components/broken.toml
template = '''
== components/rules.md
Be kind.
== patch.toml
[[patch]
",
    )]);
    assert_eq!(told.iter().filter(|one| one.severity == Severity::Error).count(), 6, "{told:#?}");
    let wrong = registry.current("wrong").unwrap();
    assert_eq!((order(wrong), wrong.tidy.as_str()), (vec!["rules"], "off"));
    assert!(registry.current("broken").is_none() && registry.components.contains_key("rules"));
}

/// Loads one large file, with a bounded number of diagnostics.
fn loads(path: &str, text: String) {
    let files = [("pack.toml".to_owned(), "name = 'a'".to_owned()), (path.to_owned(), text)];
    let source = Arc::new(MemorySource::new("big", files));
    let (_, told) = load(&[Layer { source, kind: LayerKind::Pack, components: Vec::new() }]);
    assert!(told.len() <= 1100, "{} diagnostics", told.len());
}

#[test]
fn large_and_deep_files_take_bounded_time() {
    const SIZE: usize = 1024 * 1024;
    loads("generic.toml", "=\n".repeat(SIZE / 2));
    loads("generic.toml", "[".repeat(SIZE));
    loads("generic.toml", format!("a{}", ".a".repeat(SIZE / 2)));
    loads("generic.toml", format!("x = {}", "{a=".repeat(SIZE / 3)));
    loads("generic.toml", (0..SIZE / 16).map(|n| format!("key_{n} = 1\n")).collect());
    loads("generic.toml", format!("order = [{}]", "'rules',".repeat(SIZE / 8)));
    loads("components/rules.md", "+++\n".repeat(SIZE / 4));
    loads("patch.toml", "[[patch]]\nvariants=['*']\n".repeat(SIZE / 25));
}

#[test]
fn a_long_chain_is_no_recursion() {
    let mut text = String::from("== v0.toml\n");
    for n in 1..3000 {
        text += &format!("== v{n}.toml\nextends = 'v{}'\n", n - 1);
    }
    let registry = clean(&[pack("chain", &text)]);
    assert_eq!(registry.current("v2999").unwrap().bases.len(), 2999);
    let text = text.replace("== v0.toml\n", "== v0.toml\nextends = 'v2999'\n");
    assert_eq!(told(&[pack("chain", &text)]).len(), 1, "one circle, told once");
}

#[test]
fn nothing_but_regular_files_is_opened() {
    let folder = temporary("folder");
    write(&folder.join("pack.toml"), "name = 'a'");
    write(&folder.join("generic.toml"), "order = []");
    write(&folder.join("components/rules.md"), "a");
    fs::create_dir_all(folder.join("tools/read.toml")).unwrap();
    fs::create_dir_all(folder.join("plugins/x")).unwrap();
    fs::create_dir_all(folder.join(".git")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("loop.toml", folder.join("loop.toml")).unwrap();
        std::os::unix::fs::symlink(&folder, folder.join("components/up")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.join("zero.toml")).unwrap();
    }
    let source = Arc::new(DirSource::new(&folder));
    let (registry, told) = load(&[Layer { source, kind: LayerKind::Pack, components: Vec::new() }]);
    assert!(registry.current("generic").is_some() && registry.components.contains_key("rules"));
    let told: Vec<&str> = told.iter().map(|one| one.code.as_str()).collect();
    let expected = ["file-unexpected", "file-unreadable", "file-unexpected", "file-unreadable"];
    assert_eq!(told, expected);
    let missing = DirSource::new(folder.join("nowhere"));
    let (_, told) =
        load(&[Layer { source: Arc::new(missing), kind: LayerKind::Pack, components: Vec::new() }]);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].code, Code::PackMissing);
    fs::remove_dir_all(folder).unwrap();
}
