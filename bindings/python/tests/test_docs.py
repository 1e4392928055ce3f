"""Each block of Python in what describes the package runs, one after the other on each page; so do the examples."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "bindings/python/README.md", ROOT / "docs/python.md"]
EXAMPLES = sorted((ROOT / "bindings/python/examples").glob("*.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    names = {"__name__": page.stem, "asyncio": asyncio}
    for block in blocks:
        # At its own lines, so that a failure names its place.
        lines = page.read_text(encoding="utf-8").partition(block)[0].count("\n")
        exec(compile("\n" * lines + block, str(page), "exec"), names)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_print_what_they_say(example):
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == example.with_suffix(".txt").read_text(encoding="utf-8")
