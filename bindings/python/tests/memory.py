"""Many builds, parsers and engines take no more memory than a few: `memory.py COUNT` builds, and a tenth of it of the others."""

import gc
import sys

from promptweave import ContextError, Engine, Parser
from support import acme

# What allocators may keep, in kB.
MOST = 8 * 1024
SPECS = {"tools": {"read_file": {"params": {"path": "scalar"}}}}
CONTEXT = {"model": {"id": "claude-sonnet-4-5"}, "cwd": "/project", "tools": ["read_file"], "os": "linux"}


def resident():
    """The memory of this process that is in use, in kB."""
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def builds(count, engine=Engine(), small=acme(), own=acme(lambda inputs: "hello")):
    session = engine.session()
    for at in range(count):
        assert small.prompt({"cwd": f"/{at}"}).text
        assert session.prompt(CONTEXT).text
        if at % 10 == 0:
            prompt = engine.prompt(CONTEXT)
            assert prompt.text and prompt.blocks and prompt.diagnostics is not None
        if at % 100 == 0:
            assert own.prompt().section("own") == "hello"
            assert engine.prompt(CONTEXT).deliver("anthropic").body and prompt.result and prompt.layers
            session = engine.restore(session.save()) if at % 10_000 == 0 else engine.session()
        if at % 50 == 0:
            try:
                engine.prompt({"a": {1}})
            except ContextError:
                pass


def parsers(count):
    for at in range(count):
        parser = Parser(specs=SPECS)
        held = parser.push("Hello\n<read_file><pa")
        parser.push(b"th>a.txt</path></read_file>")
        parser.finish("end_turn")
        assert len(held) == 2 and len(parser.blocks) == 2


def cycles(count):
    """Engines that their components hold, each with a thread."""
    for at in range(count):

        def own(inputs):
            return own.engine and "hello"

        own.engine = acme(own)
        assert own.engine.prompt().section("own") == "hello"
        if at % 100 == 99:
            gc.collect()


def main(count):
    kinds = [("builds", builds, count), ("parsers", parsers, count // 10), ("cycles", cycles, count // 10)]
    for name, work, times in kinds:
        work(max(times // 20, 1000))
        before = resident()
        work(times)
        after = resident()
        print(f"{times} {name}: {before} kB before, {after} kB after")
        assert after - before < MOST, name


if __name__ == "__main__":
    main(int(sys.argv[1]))
