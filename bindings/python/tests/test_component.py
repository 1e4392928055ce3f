"""Components of the host that do what they should not, and some that do what they should."""

import functools
import inspect
import threading
import time

import pytest
from promptweave import Component, Engine, OptionsError, PromptweaveError, UsageError, component
from support import FILES, acme, messages


def test_decorators():
    @component
    def own(inputs):
        return f"all {sorted(inputs)}"

    @component(id="role", reads=["cwd"], cache="session", description="where")
    def place(inputs):
        """Says where."""
        return f"in {inputs['cwd']}"

    packs = [{"name": "acme", "files": FILES}]
    engine = Engine(standard=False, packs=packs, components=[own, place])
    assert engine.prompt({"cwd": "/a"}).text == "in /a\n\nall ['cwd']"
    assert place({"cwd": "/b"}) == "in /b"


class Speechless(Exception):
    def __str__(self):
        raise RuntimeError


def fails(error):
    def own(inputs):
        raise error

    return own


@pytest.mark.parametrize(
    "own, said",
    [
        (fails(ValueError("boom")), "boom"),
        (fails(ValueError()), "ValueError"),
        (fails(KeyError("k")), "KeyError: 'k'"),
        (fails(SystemExit(3)), "SystemExit: 3"),
        (fails(Speechless()), "Speechless: its text cannot be had"),
        (fails(KeyboardInterrupt()), "KeyboardInterrupt"),
        (fails(ValueError("\udc80")), ""),
        (lambda: "no argument", "takes 0 positional arguments"),
        (lambda inputs: 7, "it gave neither a text nor nothing"),
        (lambda inputs: b"bytes", "it gave neither a text nor nothing"),
        (lambda inputs: "a\udc80", "surrogates not allowed"),
    ],
)
def test_a_failure_costs_the_section(own, said):
    engine = acme(own)
    for _ in range(3):
        prompt = engine.prompt()
        assert prompt.text == "You are a coding agent." and prompt.section("own") is None
        [message] = messages(prompt)
        assert message.startswith("component `own` failed: ") and said in message


def test_endless_recursion_costs_the_section():
    def own(inputs):
        return own(inputs)

    assert "recursion" in messages(acme(own).prompt())[0]


def test_one_that_blocks_is_left_behind():
    released = threading.Event()
    engine = acme(lambda inputs: released.wait(20) and "late", deadline_ms=30)
    begun = time.monotonic()
    assert messages(engine.prompt()) == ["component `own` failed: it did not answer within 30 ms"]
    assert time.monotonic() - begun < 5
    released.set()
    assert engine.prompt().section("own") == "late"


@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.prompt(),
        lambda engine: engine.session().prompt(),
        lambda engine: engine.check(),
        lambda engine: Engine(),
    ],
)
def test_one_that_calls_the_engine_is_refused(call):
    engines, errors = [], []

    def own(inputs):
        try:
            call(engines[0])
        except PromptweaveError as error:
            errors.append(error)
        return "built"

    engines.append(acme(own))
    assert "it called the engine that waits for it" in messages(engines[0].prompt())[0]
    assert isinstance(errors[0], UsageError) and errors[0].code == "engine-reentered"


def test_parsers_may_be_used_inside():
    from promptweave import Parser

    assert acme(lambda inputs: str(len(Parser(specs={"tools": {}}).push("a")))).prompt().section("own") == "2"


def test_inputs_are_what_it_reads():
    seen = []
    acme(seen.append, reads=["a.b", "none"]).prompt({"a": {"b": [1], "c": 2}, "d": 3})
    assert seen == [{"a": {"b": [1]}}]


def test_a_component_shows_its_function():
    @component(id="other")
    def place(inputs: dict) -> str:
        """Says where."""

    assert str(inspect.signature(place)) == "(inputs: dict) -> str" and "place" in repr(place)
    assert inspect.unwrap(place).__doc__ == "Says where."


def test_what_has_no_name_is_a_component_of_an_id():
    own = functools.partial(lambda start, inputs: start, "hello")
    files = {**FILES, "generic.toml": "order = ['hello']"}
    packs = [{"name": "acme", "files": files}]
    engine = Engine(standard=False, packs=packs, components=[component(own, id="hello")])
    assert engine.prompt().text == "hello"
    with pytest.raises(OptionsError, match="id"):
        component(own)


def test_wrong_declarations():
    for declared in [{"read": []}, {"reads": "cwd"}, {"deadline_ms": -1}, {"cache": "never"}]:
        with pytest.raises(OptionsError):
            acme(str, **declared)
    with pytest.raises(OptionsError, match="id"):
        Component(str)
    with pytest.raises(TypeError, match="a component is a function"):
        Component("own")
    with pytest.raises(TypeError):
        Engine(components=[str])
