"""Prints how many times as long as Rust, or as an empty call, the same work takes in Python.

Both sides of a row are measured in turns within one run. The exit status is 1 when a goal is missed. Words on the command
line choose rows by name.
"""

import json
import subprocess
import sys
from itertools import repeat
from statistics import median
from time import perf_counter

from promptweave import Engine, Parser
from promptweave._promptweave import _bench

ROUNDS = 301
TURN = 200e-6
IMPORTS = 61
CHUNK = 8
REPLY = 16 * 1024
PROSE = """The queue holds at most ten entries, so a slow reader makes the writer wait; that is what the log says, too. If i < 10 and the cache is warm, `load` returns at once.

I see two ways to change it. One is a larger queue, which only moves the limit. The other is to drop what nobody reads, and that is what the comment in `queue.rs` asks for.

- look at who calls `push`
- let it return a `Result<(), Full>` there

"""
# Ten tags in a kilobyte, as replies with calls have them.
MIXED = f"""<thinking>
The user wants the writer not to wait. First I look at who calls it.
</thinking>

{PROSE}<read_file>
<path>src/queue.rs</path>
</read_file>

{PROSE}<write_to_file>
<path>src/queue.rs</path>
<content>
pub fn push(&mut self, entry: T) -> Result<(), Full> {{
    if self.entries.len() < self.limit {{
        self.entries.push_back(entry);
        return Ok(());
    }}
    Err(Full)
}}
</content>
</write_to_file>

"""
TOOLS = {"read_file": {"path": "scalar"}, "write_to_file": {"path": "scalar", "content": "raw"}}
SPECS = {"tools": {name: {"params": params} for name, params in TOOLS.items()}}


def seconds(work):
    """A turn of so many calls of a function without arguments."""

    def turn(repeats):
        begun = perf_counter()
        for _ in repeat(None, repeats):
            work()
        return perf_counter() - begun

    return turn


def pair(ours, theirs):
    """The median times of one call each, measured in turns."""

    def repeats(turn):
        count = 1
        while turn(count) < TURN:
            count *= 2
        return count

    counts = repeats(ours), repeats(theirs)
    times = [(ours(counts[0]) / counts[0], theirs(counts[1]) / counts[1]) for _ in range(ROUNDS)]
    return tuple(median(side) for side in zip(*times))


def asked():
    rules = "".join(f"Rule {at}: keep it short, and say why it is so.\n" for at in range(400))
    return {
        "model": {"id": "claude-sonnet-4-5"},
        "cwd": "/project",
        "os": "linux",
        "shell": "bash",
        "home": "/home/u",
        "date": "2026-01-15",
        "request": {"append": [rules]},
    }


def build():
    context, rust, engine = asked(), _bench.Rust(), Engine()
    text = json.dumps(context)
    ours = seconds(lambda: engine.prompt(context).text)
    return pair(ours, lambda repeats: rust.builds(text, repeats))


def session():
    context, session, empty = asked(), Engine().session(), _bench.Empty()
    return pair(seconds(lambda: session.prompt(context)), seconds(lambda: empty.call(context)))


def over(chunks, make):
    """A turn of so many replies, by the chunk."""

    def turn(repeats):
        took = 0.0
        for _ in repeat(None, repeats):
            call = make()
            begun = perf_counter()
            for chunk in chunks:
                call(chunk)
            took += perf_counter() - begun
        return took / len(chunks)

    return turn


def parser(unit, encode):
    reply = encode(unit * (REPLY // len(unit)))
    chunks = [reply[at : at + CHUNK] for at in range(0, len(reply), CHUNK)]
    ours = over(chunks, lambda: Parser(specs=SPECS).push)
    theirs = over(chunks, lambda: _bench.Empty().call)

    def in_turns():
        times = [(ours(1), theirs(1)) for _ in range(ROUNDS)]
        return tuple(median(side) for side in zip(*times))

    return in_turns()


def imports():
    """Each in a fresh process, in turns."""
    script = "from time import perf_counter as now; begun = now(); import {}; print(now() - begun)"

    def took(module):
        run = [sys.executable, "-I", "-c", script.format(module)]
        return float(subprocess.run(run, capture_output=True, check=True).stdout)

    times = [(took("promptweave"), took("jinja2")) for _ in range(IMPORTS)]
    return tuple(median(side) for side in zip(*times))


ROWS = [
    ("Python, build of 30 kB from a dict / Rust build and JSON parse", 2.0, build),
    ("Python, unchanged session / an empty call", 30.0, session),
    ("Python, push of 8 bytes / an empty call, prose", 2.0, lambda: parser(PROSE, str.encode)),
    ("Python, push of 8 bytes / an empty call, mixed", 2.0, lambda: parser(MIXED, str.encode)),
    ("Python, push of 8 characters / an empty call, mixed", 2.0, lambda: parser(MIXED, str)),
    ("Python, `import promptweave` / `import jinja2`", 0.5, imports),
]


def main():
    words, missed = [word for word in sys.argv[1:] if not word.startswith("-")], 0
    for name, goal, measure in ROWS:
        if words and not any(word in name for word in words):
            continue
        ours, theirs = measure()
        verdict = "ok" if ours / theirs <= goal else "MISS"
        missed += verdict == "MISS"
        sides = f"{ours * 1e6:.3f} µs and {theirs * 1e6:.3f} µs"
        print(f"{name:<66}{ours / theirs:>9.2f} {f'<= {goal}':>8}  {verdict:<5} {sides}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
