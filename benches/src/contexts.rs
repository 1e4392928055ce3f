//! The contexts of a long session, one JSON object a line.
//!
//! In: how many. Out: lines; the clock, a server and the rules change now and then. Never: random.

use serde_json::json;

use crate::texts::{PROSE, text};

/// How many requests come before the clock, a server's words, the rules change.
const EVERY: [usize; 3] = [10, 170, 1300];

/// The contexts of a session of so many requests, for the standard pack.
pub fn session(requests: usize) -> impl Iterator<Item = String> {
    let rules = text(PROSE, 2000);
    (0..requests).map(move |at| {
        let [clock, server, rule] = EVERY.map(|every| at / every);
        let context = json!({
            "model": { "id": "claude-opus-4-5", "context_window": 200_000 },
            "provider": { "id": "anthropic" },
            "cwd": "/home/me/project", "os": "linux", "shell": "/bin/bash", "home": "/home/me", "date": "2026-01-15",
            "git": { "branch": "main", "main_branch": "main", "user": "me", "status": "", "commits": ["1f2e3d begin"] },
            "tools": ["read_file", "edit_file", "run_command", "search_text"],
            "rules": { "files": [{ "path": "AGENTS.md", "scope": "project", "text": format!("{rules}\nRule {rule}.") }] },
            "time": format!("{:02}:{:02}", clock / 60 % 24, clock % 60),
            "mcp": { "servers": [{ "name": "db", "status": "connected", "instructions": format!("Use it. {server}") }] },
        });
        context.to_string()
    })
}
