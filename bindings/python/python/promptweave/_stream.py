"""The events of whole streams."""

from typing import Any, AsyncIterable, AsyncIterator, Callable, Dict, Iterable, Iterator, Optional, Union

from . import Parser

Chunk = Union[str, bytes]
Event = Dict[str, Any]
Reason = Union[str, Callable[[], Optional[str]], None]


def stream(
    parser: Parser, chunks: Union[Iterable[Chunk], AsyncIterable[Chunk]], reason: Reason
) -> Union[Iterator[Event], AsyncIterator[Event]]:
    """An iterator over the events of an iterable, or an async one over those of an async iterable."""
    if isinstance(chunks, AsyncIterable):
        return _later(parser, chunks, reason)
    return _now(parser, iter(chunks), reason)


def _now(parser: Parser, chunks: Iterator[Chunk], reason: Reason) -> Iterator[Event]:
    for chunk in chunks:
        yield from parser.push(chunk)
    yield from parser.finish(reason() if callable(reason) else reason)


async def _later(parser: Parser, chunks: AsyncIterable[Chunk], reason: Reason) -> AsyncIterator[Event]:
    async for chunk in chunks:
        for event in parser.push(chunk):
            yield event
    for event in parser.finish(reason() if callable(reason) else reason):
        yield event
