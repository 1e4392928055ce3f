"""Wrong use gives errors of Python, and the process goes on."""

import copy
import pickle
import threading

import pytest
from promptweave import Engine, InputError, OptionsError, Parser, Prompt, PromptweaveError, Session
from support import acme


@pytest.mark.parametrize("chunk", [None, 7, ["a"], bytearray(b"a"), object()])
def test_chunks_of_a_wrong_type(chunk):
    parser = Parser(specs={"tools": {}})
    with pytest.raises(TypeError, match="`str` or `bytes`"):
        parser.push(chunk)
    assert len(parser.push("still there")) == 2


def test_surrogates_are_no_text():
    parser, alone = Parser(specs={"tools": {}}), "a\udc80"
    for call in [
        lambda: parser.push(alone),
        lambda: parser.finish(alone),
        lambda: acme().prompt(alone),
        lambda: acme().prompt({"a": alone}),
        lambda: acme().prompt({alone: 1}),
        lambda: acme().prompt(variant=alone),
        lambda: acme().restore(alone),
        lambda: acme().prompt().section(alone),
        lambda: acme().prompt().deliver(alone),
        lambda: Engine(project=alone),
    ]:
        with pytest.raises(UnicodeEncodeError):
            call()


def test_bytes_that_are_not_utf8_are_replaced():
    parser = Parser(specs={"tools": {}})
    parser.push(b"a\xff\xfeb")
    parser.finish()
    assert parser.blocks[0]["content"] == "a\ufffd\ufffdb"


def test_wrong_arguments():
    engine = acme()
    for call in [
        lambda: Engine("pack"),
        lambda: engine.prompt({}, {}),
        lambda: engine.restore(),
        lambda: engine.restore(b"bytes"),
        lambda: engine.prompt().deliver(),
        lambda: engine.prompt().deliver(7),
        lambda: engine.prompt().section(None),
        lambda: Prompt(),
        lambda: Session(),
        lambda: Engine.prompt(None),
        lambda: Engine(components=7),
        lambda: Engine(packs=[7]),
        lambda: Engine(unknown=1),
        lambda: engine.prompt(**{"varaint": "generic"}),
    ]:
        with pytest.raises(TypeError):
            call()


def test_names_of_nothing():
    for call in [
        lambda: acme().prompt().deliver("carrier-pigeon"),
        lambda: Parser(dialect="klingon"),
        lambda: Parser(specs={"tools": {}}).finish("boredom"),
        lambda: Parser(specs=7),
    ]:
        with pytest.raises(OptionsError) as caught:
            call()
        assert caught.value.help
    with pytest.raises(InputError, match="session"):
        acme().restore("{}")


def test_too_much_at_once():
    size = 256 * 1024 * 1024 + 1
    for call in [
        lambda: Parser(specs={"tools": {}}).push(b" " * size),
        lambda: acme().prompt(" " * size),
        lambda: acme().restore(" " * size),
    ]:
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.code == "input-too-large"


def test_nothing_is_taken_after_the_end():
    parser = Parser(specs={"tools": {}})
    parser.push("a")
    parser.finish()
    assert list(parser.push("b")) == [] == list(parser.finish())
    assert parser.blocks[0]["content"] == "a"


def test_one_parser_on_many_threads():
    """Each push is whole: the interpreter lets one in at a time."""
    parser = Parser(specs={"tools": {}})

    def push():
        for _ in range(500):
            list(parser.push("abcdefgh"))

    threads = [threading.Thread(target=push) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    parser.finish()
    assert parser.blocks[0]["content"] == "abcdefgh" * 4000


def test_no_copies():
    for thing in [acme(), acme().session(), acme().prompt(), Parser(specs={"tools": {}})]:
        for work in [copy.copy, copy.deepcopy, pickle.dumps]:
            with pytest.raises(TypeError):
                work(thing)


def test_mistakes_of_getters_are_raised():
    class Broken:
        def model_dump(self):
            raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError):
        acme().prompt({"a": Broken()})


def test_a_dict_that_changes_meanwhile():
    context = {}

    class Changes:
        def model_dump(self):
            context["more"] = 1

    context["a"] = Changes()
    with pytest.raises(RuntimeError, match="changed size"):
        acme().prompt(context)


def test_errors_never_say_values():
    with pytest.raises(PromptweaveError) as caught:
        acme().prompt({"key": {"secret"}})
    assert "secret" not in str(caught.value)
