"""The cases of `tests/conformance`, run here as in every other language."""

import json
import time
from pathlib import Path

import pytest
from promptweave import Component, Engine, Parser, PromptweaveError

FOLDER = Path(__file__).parents[3] / "tests" / "conformance"
CASES = sorted(FOLDER.glob("*.json"))


def test_there_are_cases():
    assert len(CASES) >= 58


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    case = json.loads(path.read_text(encoding="utf-8"))
    world = World()
    try:
        components = [component(one, world) for one in case.get("components", [])]
        world.engine = Engine(components=components, **case.get("engine", {}))
    except PromptweaveError as error:
        assert of_error(error) == case["engine_gives"]
        return
    assert "engine_gives" not in case
    for step in case.get("steps", []):
        try:
            gives = world.step(step)
        except PromptweaveError as error:
            gives = of_error(error)
        assert steady(gives) == step["gives"], step


def of_error(error):
    parts = {"code": error.code, "message": error.message, "origin": error.origin, "help": error.help}
    return {"error": parts}


def steady(value):
    """Times count as 0."""
    if isinstance(value, dict):
        return {key: 0 if key == "ms" else steady(one) for key, one in value.items()}
    if isinstance(value, list):
        return [steady(one) for one in value]
    return value


class World:
    """What the steps of a case have made so far."""

    engine = session = prompt = parser = None

    def step(self, step):
        return getattr(self, "do_" + step["do"].replace("-", "_"))(step, step.get("options", {}))

    def do_engine_diagnostics(self, step, options):
        return {"json": self.engine.diagnostics}

    def do_check(self, step, options):
        return {"json": self.engine.check()}

    def do_build(self, step, options):
        context = step.get("context_text", step.get("context"))
        self.prompt = (self.session or self.engine).prompt(context, **step.get("ask", {}))
        return {"nothing": True}

    def do_session(self, step, options):
        self.session = self.engine.session(**options)
        return {"nothing": True}

    def do_reset(self, step, options):
        self.session.reset(**options)
        return {"nothing": True}

    def do_save_restore(self, step, options):
        self.session = self.engine.restore(self.session.save())
        return {"nothing": True}

    def do_restore(self, step, options):
        self.session = self.engine.restore(step["saved"])
        return {"nothing": True}

    def do_text(self, step, options):
        return {"text": self.prompt.text}

    def do_section(self, step, options):
        return {"text": self.prompt.section(step["id"])}

    def do_result(self, step, options):
        return {"json": self.prompt.to_result(**options) if options else self.prompt.result}

    def do_blocks(self, step, options):
        return {"json": self.prompt.blocks}

    def do_layers(self, step, options):
        return {"json": self.prompt.layers}

    def do_diagnostics(self, step, options):
        return {"json": self.prompt.diagnostics}

    def do_deliver(self, step, options):
        payload = self.prompt.deliver(step["target"], **options)
        whole = {"headers": payload.headers, "body": payload.body}
        return {"json": {"payload": whole, "diagnostics": payload.diagnostics}}

    def do_parser(self, step, options):
        make = Parser if step.get("of") == "standard" else self.engine.parser
        self.parser = make(**options)
        return {"nothing": True}

    def do_push(self, step, options):
        chunk = bytes.fromhex(step["hex"]) if "hex" in step else step["chunk"].encode()
        every = step.get("every") or len(chunk)
        chunks = [chunk[at : at + every] for at in range(0, len(chunk), every)]
        return {"json": [event for chunk in chunks for event in self.parser.push(chunk)]}

    def do_finish(self, step, options):
        return {"json": list(self.parser.finish(step.get("reason")))}

    def do_parsed(self, step, options):
        return {"json": self.parser.blocks}


def component(one, world):
    """A component with one of the behaviours."""
    calls = []

    def throws(inputs):
        raise RuntimeError("boom")

    def counts(inputs):
        calls.append(inputs)
        return f"call {len(calls)}"

    def blocks(inputs):
        time.sleep(0.4)
        return "late"

    def reenters(inputs):
        try:
            world.engine.prompt()
        except PromptweaveError:
            return "refused"
        return "built"

    behaviours = {
        "echo": lambda inputs: json.dumps(inputs, sort_keys=True, ensure_ascii=False, separators=(",", ":")),
        "greets": lambda inputs: "hello",
        "nothing": lambda inputs: None,
        "counts": counts,
        "throws": throws,
        "wrong-type": lambda inputs: 7,
        "blocks": blocks,
        "reenters": reenters,
    }
    return Component(behaviours[one["behaviour"]], **one["declared"])
