"""A small pack, and engines of it."""

import subprocess
import sys
import textwrap

from promptweave import Component, Engine

FILES = {
    "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
    "generic.toml": "order = ['role', 'own']",
    "components/role.md": "You are a coding agent.",
}


def acme(own=None, **declared):
    """An engine with a role and, where a function is given, a section of its answers."""
    files = FILES if own else {**FILES, "generic.toml": "order = ['role']"}
    components = [Component(own, **{"id": "own", "reads": [], **declared})] if own else []
    return Engine(standard=False, packs=[{"name": "acme", "files": files}], components=components)


def messages(prompt):
    return [told["message"] for told in prompt.diagnostics]


def run(script, seconds=60):
    """Runs a script in a process of its own, which can import this file."""
    script = f"import sys; sys.path.insert(0, {__file__.rpartition('/')[0]!r})\n" + textwrap.dedent(script)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=seconds)
