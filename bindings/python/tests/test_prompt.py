"""Engines, sessions and prompts, as people of Python use them."""

import dataclasses
import enum
import json
import pickle
from collections import ChainMap, OrderedDict
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import pytest
from promptweave import ContextError, Engine, PromptweaveError, VariantError
from support import FILES, acme


@dataclasses.dataclass
class Model:
    id: str


@dataclasses.dataclass
class Host:
    model: Model
    cwd: Path
    tools: tuple = ()
    not_a_field: ClassVar[int] = 7


class Dumped:
    def model_dump(self):
        return {"model": Model("claude-sonnet-4-5"), "cwd": "/project", "tools": []}


class Os(str, enum.Enum):
    LINUX = "linux"


SAME = {"model": {"id": "claude-sonnet-4-5"}, "cwd": "/project", "tools": []}


@pytest.mark.parametrize(
    "context",
    [
        SAME,
        json.dumps(SAME),
        Dumped(),
        Host(Model("claude-sonnet-4-5"), Path("/project")),
        OrderedDict(SAME),
        ChainMap({"cwd": "/project"}, SAME),
        MappingProxyType(SAME),
    ],
    ids=lambda context: type(context).__name__,
)
def test_contexts_say_the_same(context):
    assert Engine().prompt(context).result["context_sha256"] == Engine().prompt(SAME).result["context_sha256"]


def echoed(**context):
    seen = []
    acme(seen.append, reads=["own"]).prompt({"own": context})
    return seen[0]["own"]


def test_values_arrive_as_they_are():
    context = {
        "text": "é𝄞\0\n",
        "os": Os.LINUX,
        "numbers": [0, -1, 2**63 - 1, 2**64 - 1, 1.5, True, False],
        "nothing": None,
        "nested": {"a": [{"b": ()}]},
    }
    assert echoed(**context) == {**context, "os": "linux", "nested": {"a": [{"b": []}]}}
    assert type(echoed(flag=True)["flag"]) is bool
    # As a reader of JSON takes it.
    assert echoed(large=2**70)["large"] == json.loads(json.dumps(2.0**70))


@pytest.mark.parametrize(
    "context, message",
    [
        ({"a": {"b": [1, {2}]}}, "`a.b.1` is a `set`"),
        ({"a": b"bytes"}, "`a` is a `bytes`"),
        ({"a": float("nan")}, "`a` is a number that JSON does not have"),
        ({"a": 10**400}, "`a` is too large a number"),
        ({"a": {1: 2}}, "`a` is a dict with a `int` among its keys"),
        ({"a": Model}, "`a` is a `type`"),
        (7, "the context is a number"),
        ([], "the context is a list"),
        (object(), "it is a `object`"),
        ("{", "the context is not JSON"),
        ("[]", "the context is"),
    ],
)
def test_what_is_no_context_is_told(context, message):
    with pytest.raises(ContextError, match=message) as caught:
        acme().prompt(context)
    assert caught.value.code == "context-invalid" and caught.value.help
    assert isinstance(caught.value, (TypeError, ValueError))


def test_a_context_that_holds_itself_is_refused():
    context = {}
    context["own"] = context
    with pytest.raises(ContextError, match="deeper than 128 levels"):
        acme().prompt(context)


def test_parts_are_made_once():
    prompt = acme().prompt()
    for part in ["text", "blocks", "layers", "sections", "diagnostics", "result"]:
        assert getattr(prompt, part) is getattr(prompt, part)
    assert str(prompt) == prompt.text == "You are a coding agent."
    assert prompt.sections == {"role": prompt.text} and prompt.variant == "generic"
    assert prompt.section("role") == prompt.text and prompt.section("none") is None
    assert prompt.text not in repr(prompt)
    with pytest.raises(AttributeError):
        prompt.text = ""


def test_sections_are_in_order():
    prompt = Engine().prompt({**SAME, "tools": ["read_file"], "os": "linux"})
    included = [one["id"] for one in prompt.result["sections"] if one["state"] == "included"]
    assert list(prompt.sections) == included and len(included) > 2


def test_payloads():
    payload = Engine().prompt(SAME).deliver("anthropic", one_hour=["main"])
    assert payload.headers["anthropic-version"] and payload.body["system"]
    assert isinstance(payload.diagnostics, list)


def test_offsets_of_other_units():
    files = {**FILES, "components/role.md": "é𝄞", "generic.toml": "order = ['role']"}
    prompt = Engine(standard=False, packs=[{"name": "acme", "files": files}]).prompt()
    assert prompt.result["sections"][0]["end"] == 6
    assert prompt.to_result(offsets="utf16")["sections"][0]["end"] == 3


def test_sessions():
    calls = []
    engine = acme(lambda inputs: calls.append(inputs) or f"{inputs}", reads=["cwd"])
    session = engine.session(date="2026-01-15")
    first = session.prompt({"cwd": "/a"}).text
    assert session.prompt({"cwd": "/a"}).text == first and len(calls) == 1
    restored = engine.restore(session.save())
    assert restored.prompt({"cwd": "/a"}).text == first and len(calls) == 1
    assert restored.prompt({"cwd": "/b"}).text != first and len(calls) == 2
    session.reset()
    session.prompt({"cwd": "/a"})
    assert len(calls) == 3


def test_changed_contexts_are_seen():
    """Also where the same dict is given again."""
    session = acme(str, reads=["own"]).session()
    context = {"own": {"list": [1, 2], "text": "a"}}
    told = [session.prompt(context).text]
    for change in [
        lambda own: own["list"].append(3),
        lambda own: own.update(text="b"),
        lambda own: own.update(list=(1, 2, 3, 4)),
        lambda own: own.update(more=1.5),
        lambda own: own.pop("text"),
        lambda own: own.update(more=True),
        lambda own: own.update(more=1),
        lambda own: own.update(more=Model("x")),
        lambda own: setattr(own["more"], "id", "y"),
    ]:
        change(context["own"])
        told.append(session.prompt(context).text)
        assert told[-1] == session.prompt(json.dumps(context, default=vars)).text
    assert len(set(told)) == len(told)


def test_packs_are_paths(tmp_path):
    for name, text in {**FILES, "generic.toml": "order = ['role']"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    engine = Engine(standard=False, packs=[tmp_path])
    assert engine.prompt().text == "You are a coding agent."
    assert engine.diagnostics == [] == engine.check()


def test_errors_have_a_place(tmp_path):
    (tmp_path / "pack.toml").write_text("format = 1\nname = 'acme'\nversion = '1.0.0'\ntypo = 1")
    with pytest.raises(PromptweaveError) as caught:
        Engine(standard=False, packs=[tmp_path], strict=True)
    error = caught.value
    assert error.file.endswith("pack.toml") and error.origin["line"] == 4
    assert (tmp_path / "pack.toml").read_bytes()[slice(*error.span)].startswith(b"typo")
    assert str(error) == f"{error.message}\nhelp: {error.help}"
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error) and type(again) is type(error)


def test_no_variant_is_a_lookup_error():
    for ask in [{"variant": "none"}, {"variant": "generic@9"}]:
        with pytest.raises(VariantError) as caught:
            acme().prompt(**ask)
        assert isinstance(caught.value, LookupError) and caught.value.code.startswith("unknown-v")


def test_none_counts_as_absent():
    assert acme().prompt(None, variant=None, budget=None).text
    assert Engine(packs=None, plugins=None, components=None).session(date=None).prompt().text
