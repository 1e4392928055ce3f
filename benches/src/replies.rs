//! Replies to parse, of any size, and the tools that they call.
//!
//! In: a size in bytes. Out: about as many bytes of one kind. Never: random; the same for the same size.

use promptweave_reply::{ParamSpec, Specs, ToolSpec};

/// A kind of reply: its name, what comes once before and behind, and what is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    /// Its name.
    pub name: &'static str,
    head: &'static str,
    unit: &'static str,
    tail: &'static str,
}

const SENTENCES: &str = "The queue holds at most ten entries, so a slow reader makes the writer wait; that is what the \
    log says, too. If i < 10 and the cache is warm, `load` returns at once, otherwise it asks the disk.\n\nI see two ways \
    to change it. One is a larger queue, which only moves the limit. The other is to drop what nobody reads, and that is \
    what the comment in `queue.rs` asks for — “never block the writer”.\n\n- look at who calls `push`\n- let it return a \
    `Result<(), Full>` there\n- count what was dropped, and show it in the report\n\n```rust\nlet full = queue.push(entry).is_err();\n```\n\n";

/// Answers in prose, with lists, inline code and some characters that are not ASCII.
pub const PROSE: Corpus = Corpus { name: "prose", head: "", unit: SENTENCES, tail: "" };

/// Prose, reasoning, small calls, edits and files in turn.
pub const MIXED: Corpus = Corpus {
    name: "mixed",
    head: "",
    unit: "<thinking>\nThe user wants the writer not to wait. First I look at who calls it.\n</thinking>\n\nI look at the \
        callers of `push` first, since its signature changes.\n\n<search_files>\n<path>src</path>\n<regex>queue\\.push\\(</regex>\n\
        <file_pattern>*.rs</file_pattern>\n</search_files>\n\nThree places call it, and one ignores what it returns. I change \
        that one, and leave the other two as they are.\n\nThe queue holds at most ten entries, so a slow reader makes the writer \
        wait; that is what the log says, too. If i < 10 and the cache is warm, `load` returns at once, otherwise it asks the \
        disk. One way out is a larger queue, which only moves the limit. The other is to drop what nobody reads, and that is \
        what the comment asks for.\n\n- look at who calls `push`\n- let it return a result there\n- count what was \
        dropped, and show it in the report\n\n<replace_in_file>\n<path>src/writer.rs</path>\n<diff>\n------- SEARCH\n    \
        queue.push(entry);\n=======\n    if queue.push(entry).is_err() {\n        dropped += 1;\n    }\n+++++++ REPLACE\n</diff>\n\
        </replace_in_file>\n\n<write_to_file>\n<path>src/queue.rs</path>\n<content>\n//! A queue that never blocks.\n\nuse \
        std::collections::VecDeque;\n\npub struct Queue<T> {\n    entries: VecDeque<T>,\n    limit: usize,\n}\n\nimpl<T> Queue<T> {\n    \
        pub fn push(&mut self, entry: T) -> Result<(), Full> {\n        if self.entries.len() < self.limit {\n            \
        self.entries.push_back(entry);\n            return Ok(());\n        }\n        Err(Full)\n    }\n\n    \
        pub fn pop(&mut self) -> Option<T> {\n        self.entries.pop_front()\n    }\n\n    pub fn len(&self) -> usize {\n        \
        self.entries.len()\n    }\n\n    pub fn is_full(&self) -> bool {\n        self.len() >= self.limit\n    }\n}\n\n\
        #[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn a_full_queue_takes_nothing() {\n        let mut queue = \
        Queue::new(2);\n        for entry in 0..2 {\n            assert!(queue.push(entry).is_ok());\n        }\n        \
        assert!(queue.push(2).is_err() && queue.len() == 2);\n    }\n}\n</content>\n\
        <task_progress>- [x] find the callers\n- [ ] run the tests</task_progress>\n</write_to_file>\n\n",
    tail: "",
};

/// One call that writes one large file.
pub const FILE: Corpus = Corpus {
    name: "one big file",
    head: "I write the page.\n\n<write_to_file>\n<path>site/index.html</path>\n<content>\n<!doctype html>\n<body>\n",
    unit: "  <section class=\"entry\">\n    <h2>What the queue holds</h2>\n    <p>At most ten entries; a slow reader makes the writer \
        wait, and the page says for how long.</p>\n    <script>for (let i = 0; i < entries.length && !stopped; i++) { show(entries[i]); }\
        </script>\n  </section>\n\n",
    tail: "</body>\n</content>\n</write_to_file>\n",
};

/// The three that goals are about.
pub const ALL: [Corpus; 3] = [PROSE, MIXED, FILE];

impl Corpus {
    /// About that many bytes, and never in the middle of a repetition.
    pub fn text(&self, bytes: usize) -> String {
        let around = self.head.len() + self.tail.len();
        let times = bytes.saturating_sub(around) / self.unit.len();
        [self.head, &self.unit.repeat(times.max(1)), self.tail].concat()
    }
}

const TOOLS: &[(&str, &[&str])] = &[
    ("ask_followup_question", &["question", "options", "task_progress"]),
    ("attempt_completion", &["result", "command", "task_progress"]),
    ("execute_command", &["command", "requires_approval", "timeout"]),
    ("replace_in_file", &["path", "diff", "task_progress"]),
    ("read_file", &["path", "start_line", "end_line", "task_progress"]),
    ("write_to_file", &["path", "content", "task_progress"]),
    ("search_files", &["path", "regex", "file_pattern", "task_progress"]),
    ("list_files", &["path", "recursive", "task_progress"]),
    ("browser_action", &["action", "url", "coordinate", "text"]),
    ("use_mcp_tool", &["server_name", "tool_name", "arguments"]),
    ("new_task", &["context"]),
    ("web_fetch", &["url", "prompt"]),
    ("web_search", &["query", "allowed_domains", "blocked_domains"]),
    ("apply_patch", &["input"]),
];

/// The tools, each with its own parameters.
pub fn specs() -> Specs {
    let tools = TOOLS.iter().map(|(name, params)| ToolSpec {
        name: (*name).into(),
        params: params.iter().map(|param| ParamSpec::new(*param, None)).collect(),
    });
    Specs::from_tools(&tools.collect::<Vec<_>>())
}

/// Their names.
pub fn tool_names() -> Vec<&'static str> {
    TOOLS.iter().map(|(name, _)| *name).collect()
}

/// The names of all parameters.
pub fn param_names() -> Vec<&'static str> {
    let mut names: Vec<_> = TOOLS.iter().flat_map(|(_, params)| params.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
