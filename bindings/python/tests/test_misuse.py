"""Wrong use gives errors of Python, and the process goes on."""

import copy
import pickle
import threading

import pytest
from promptweave import Engine, InputError, OptionsError, Parser, Prompt, PromptweaveError, Session
from support import acme, run


@pytest.mark.parametrize("chunk", [None, 7, ["a"], bytearray(b"a"), object()])
def test_chunks_of_a_wrong_type(chunk):
    parser = Parser(specs={"tools": {}})
    with pytest.raises(TypeError, match=f"`str` or `bytes`, not a `{type(chunk).__name__}`"):
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


def test_a_pack_of_another_shape_is_told():
    with pytest.raises(OptionsError, match="a pack is a path, or has a `name` and `files`"):
        Engine(packs=[{"files": {}}])


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


def test_a_parser_is_free_while_an_error_is_made():
    """Making one runs code of Python, so that other threads come in between."""
    done = run(
        """
        import sys, threading
        from promptweave import OptionsError, Parser
        sys.setswitchinterval(1e-6)
        parser = Parser(specs={"tools": {}})
        def wrong():
            for _ in range(2000):
                try:
                    parser.finish("boredom")
                except OptionsError:
                    pass
        def right():
            for _ in range(2000):
                parser.push("a")
        threads = [threading.Thread(target=work) for work in [wrong, right] * 2]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        parser.finish()
        print(len(parser.blocks[0]["content"]))
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "4000\n", "")


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
    """It counts as it was when it was reached, also where as much comes as goes."""

    class Changes:
        def model_dump(self):
            del context["last"]
            context.update(more=Changes(), most=1)
            return "/first"

    context = {"cwd": Changes(), "last": 1}
    seen = []
    session = acme(seen.append, reads=["cwd"]).session()
    session.prompt(context)
    context.pop("more")
    context["cwd"] = "/second"
    session.prompt(context)
    assert seen == [{"cwd": "/first"}, {"cwd": "/second"}]


def test_a_dict_that_ends_as_what_it_was_not():
    class Changes:
        def model_dump(self):
            context["cwd"] = "/second"
            return "/first"

    context, seen = {"cwd": Changes()}, []
    session = acme(seen.append, reads=["cwd"]).session()
    session.prompt(context)
    session.prompt(context)
    assert seen == [{"cwd": "/first"}, {"cwd": "/second"}]


def test_errors_never_say_values():
    with pytest.raises(PromptweaveError) as caught:
        acme().prompt({"key": {"secret"}})
    assert "secret" not in str(caught.value)
