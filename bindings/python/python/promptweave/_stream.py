"""The events of whole streams."""


def stream(parser, chunks, reason):
    """An iterator over the events of an iterable, or an async one over those of an async iterable."""
    if hasattr(chunks, "__aiter__"):
        return _later(parser, chunks, reason)
    return _now(parser, chunks, reason)


def _now(parser, chunks, reason):
    for chunk in chunks:
        yield from parser.push(chunk)
    yield from parser.finish(reason() if callable(reason) else reason)


async def _later(parser, chunks, reason):
    async for chunk in chunks:
        for event in parser.push(chunk):
            yield event
    for event in parser.finish(reason() if callable(reason) else reason):
        yield event
