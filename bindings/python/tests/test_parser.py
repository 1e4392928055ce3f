"""The parser of replies."""

import asyncio

import pytest
from promptweave import Engine, Parser

SPECS = {"tools": {"read_file": {"params": {"path": "scalar"}}}}
REPLY = "I look.\n<read_file><path>é.txt</path></read_file>"
CALL = {"type": "tool_use", "name": "read_file", "params": {"path": "é.txt"}, "partial": False, "end": "text"}


def whole():
    parser = Parser(specs=SPECS)
    return [*parser.push(REPLY), *parser.finish("end_turn")], parser.blocks


def test_a_call_is_cut_out():
    events, blocks = whole()
    assert [event["event"] for event in events][0] == "opened" and events[-1]["event"] == "closed"
    assert blocks[0]["content"].startswith("I look.") and CALL.items() <= blocks[1].items()


@pytest.mark.parametrize("every", [1, 2, 3, 7, 8])
def test_chunks_may_end_anywhere(every):
    parser, data = Parser(specs=SPECS), REPLY.encode()
    for at in range(0, len(data), every):
        parser.push(data[at : at + every])
    parser.finish("end_turn")
    assert parser.blocks == whole()[1]


def test_events_that_are_held_stay():
    """Read at once, read late, or never: they are those of their own push."""
    kept, late = Parser(specs=SPECS), Parser(specs=SPECS)
    held = [late.push(char) for char in REPLY]
    for events, char in zip(held, REPLY):
        now = kept.push(char)
        assert list(now) == list(now) == list(events)
    assert len(late.push("")) == 0 and not late.push("")


def test_events_are_a_sequence():
    events = Parser(specs=SPECS).push(REPLY)
    assert len(events) == len(list(events)) > 3 and events
    assert events[0]["event"] == "opened" and events[-1:] == [list(events)[-1]]
    assert repr(events) == repr(list(events))
    with pytest.raises(IndexError):
        events[99]


def test_events_outlive_their_parser():
    assert list(Parser(specs=SPECS).push("text"))[0]["kind"] == "text"


def test_streams_end():
    chunks = [REPLY[:9], REPLY[9:].encode()]
    assert Parser(specs=SPECS).stream(iter(chunks), "end_turn") is not None
    parser = Parser(specs=SPECS)
    events = list(parser.stream(iter(chunks), "end_turn"))
    assert parser.blocks == whole()[1] and events[-1]["event"] == "closed"


def test_async_streams_end():
    reason = []

    async def arrive():
        for char in REPLY:
            await asyncio.sleep(0)
            yield char
        reason.append("end_turn")

    async def read():
        # Why it stopped is known when it has stopped.
        parser = Parser(specs=SPECS)
        events = [event async for event in parser.stream(arrive(), lambda: reason[0])]
        return events, parser.blocks

    events, blocks = asyncio.run(read())
    assert blocks == whole()[1] and events[-1]["event"] == "closed"


def test_tools_of_an_engine():
    parser = Engine().parser()
    parser.push("<read_file><path>a</path></read_file>")
    parser.finish()
    assert parser.blocks[-1]["name"] == "read_file"


def test_values_are_typed_by_schema():
    schema = {"type": "object", "properties": {"line": {"type": "integer"}}}
    parser = Parser(specs=[{"name": "go", "input_schema": schema}], typed=True)
    events = [*parser.push("<go><line>7</line></go>"), *parser.finish()]
    assert parser.blocks[-1]["params"] == {"line": 7} == events[-1]["block"]["params"]
