//! What random templates are made of, by how stable it is.
//!
//! In: a level: 0 static, 1 session too, 2 volatile too. Out: words, tags, tests, conditions up to that level.
//! Never: random itself.

/// Three lists: what is static, what is of a session, what is volatile.
pub(crate) type Levels = [&'static [&'static str]; 3];

/// How unstable a random text may be at most.
pub(crate) type Level = usize;

/// All of a level and of those below it.
pub(crate) fn up_to(levels: &Levels, level: Level) -> Vec<&'static str> {
    levels[..=level].concat()
}

/// Longer than the window in which classic tidying looks around.
const PROSE: &str = "A paragraph of the template that is long enough for what stands behind it not to reach what \
    stands before it, however far tidying looks around itself: more than a hundred characters.\n\n";

/// Static text between the tags.
#[rustfmt::skip]
pub(crate) const WORDS: &[&str] = &[
    "words", "some more words. ", PROSE, PROSE, PROSE, "A line of the template, long enough to stand for prose.\n", "- item\n",
    "A paragraph of the template, long enough to stand for prose.\n\n", "\n", "\n\n", "\n\n\n\n", " ", "# Head\n",
    "\n## Head\n", "\n### Deep\n", "\n====\n", "\n\n====\n\n", "====", "\n=====\n\n", "=", "##", "## ", "```\n",
    "\n```\n", "\r\n", "<<<<<<< SEARCH\n", "-------", "é😀",
];

/// Tags of components and partials.
#[rustfmt::skip]
pub(crate) const TAGS: Levels = [
    &[
        "{{model.id}}", "{{~model.id~}}", "{{NAME}}", "{{ctx.house.fixed}}", "\n{{ctx.house.fixed}}\n",
        "{{indent 2 ctx.house.fixed}}", "{{> p0}}", "\n{{> p0}}\n", "\n  {{> p0}}\n", "{{!-- why --}}",
        "\n{{!-- why --}}\n", "{{default ctx.house.fixed \"none\"}}", "{{#with model}}{{id}}{{/with}}",
    ],
    &[
        "{{sections.c0}}", "{{section \"c0\"}}", "{{cwd}}", "{{~cwd}}", "{{cwd~}}", "{{{user.name}}}", "{{rules.global}}", "\n{{rules.global}}\n", "{{CWD}}",
        "{{CURRENT_DATE}}", "{{ctx.house.kept}}", "{{tool_docs}}", "\n{{tool_docs}}\n", "{{tool_doc \"t0\"}}",
        "{{tool \"r\"}}", "{{json flags}}", "{{join flags \", \"}}", "{{indent 2 rules.global}}", "{{len flags}}",
        "{{#each flags}}{{this}}\n{{/each}}", "{{#each flags as |f i|}}{{i}}{{f}}{{/each}}", "{{lookup flags 0}}",
        "{{#each tools}}- {{name}}\n{{else}}no tools{{/each}}", "{{#with user}}{{name}} {{../cwd}}{{/with}}",
        "{{default (tool \"r\") \"no tool\"}}", "{{sections.c1}}",
    ],
    &[
        "{{memory.text}}", "\n{{memory.text}}\n", "{{mode}}", "{{ctx.house.loose}}", "{{nobody}}",
        "{{default memory.text \"none\"}}", "{{eq mode \"plan\"}}", "{{sections.c2}}",
        "{{#each mcp.servers as |server|}}{{server.name}} {{../cwd}}{{/each}}",
    ],
];

/// Tags of the base template: names of placeholders.
#[rustfmt::skip]
pub(crate) const BASE_TAGS: Levels = [
    &[
        "{{c0}}", "\n{{c0}}\n", "\n\n{{c0}}\n\n", "# {{c0}}", "{{~c0~}}", "\n## Head\n\n{{c0}}\n", "{{sections.c0}}",
        "\n====\n\n{{c0}}\n\n====\n", "{{NAME}}", "{{MODEL_FAMILY}}", "{{> p0}}", "{{cache_boundary}}",
        "{{ctx.house.fixed}}",
    ],
    &[
        "{{c1}}", "\n\n{{c1}}\n\n", "\n====\n\n{{c1}}\n", "\n## Head\n\n{{c1}}\n", "{{section \"c1\"}}", "{{CWD}}",
        "{{CURRENT_DATE}}", "{{SUPPORTS_BROWSER}}", "{{ctx.house.kept}}", "{{has_tool \"t0\"}}", "{{tool_docs}}",
        "{{#each ctx.flags}}{{this}}{{/each}}", "{{default c1 NAME}}",
    ],
    &["{{c2}}", "\n\n{{c2}}\n\n", "\n## Head\n\n{{c2}}\n", "{{c3}}", "\n====\n\n{{c3}}\n", "{{nobody}}"],
];

/// What blocks of components and partials ask.
#[rustfmt::skip]
pub(crate) const ASKED: Levels = [
    &["if model.id", "unless ctx.house.fixed", "if ctx.house.fixed", "if NAME", "with model"],
    &[
        "if cwd", "unless cwd", "if flags", "unless (has_tool \"t0\")", "if CWD", "if (tool \"r\")", "each flags",
        "if (contains flags \"a\")", "if tool_docs", "if sections.c0", "unless sections.c1",
    ],
    &[
        "if memory.text", "if (eq mode \"plan\")", "with ctx.house", "each ctx.mcp.servers",
        "if (and flags memory.text)", "if (or c3 nobody)",
    ],
];

/// What blocks of the base template ask.
#[rustfmt::skip]
pub(crate) const BASE_ASKED: Levels = [
    &["if c0", "unless c0", "if NAME", "if sections.c0", "if ctx.house.fixed", "if (eq MODEL_FAMILY \"special\")"],
    &["if c1", "unless c1", "if CWD", "if SUPPORTS_BROWSER", "unless (has_tool \"t0\")", "each ctx.flags"],
    &["if c2", "unless c3", "if nobody", "if (or c3 nobody)", "with ctx.house"],
];

#[rustfmt::skip]
pub(crate) const CONDITIONS: Levels = [
    &["model.id == 'gpt-4'", "native_tools", "ctx.house.fixed == 'a'", "variant.id == 'special'"],
    &[
        "flags.size() > 0", "'a' in flags", "cwd == ''", "has(ctx.house.kept)", "flags.exists(f, f == 'b')",
        "'browser' in capabilities", "1 / flags.size() == 1",
    ],
    &[
        "mode == 'plan'", "memory.text != ''", "ctx.house.loose == 'a'", "mcp.servers.size() > 0", "'t0' in tools",
        "tools.size() == 0",
    ],
];

/// Context values that a component prints as they are.
pub(crate) const VALUES: Levels = [
    &["ctx.house.fixed", "model.id"],
    &["cwd", "rules.global", "flags"],
    &["memory.text", "ctx.house.loose"],
];

/// Items of code that a component is.
pub(crate) const ITEMS: Levels = [&["model", "again"], &["place"], &["moody", "clock"]];
