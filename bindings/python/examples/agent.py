"""A turn of an agent: a prompt with a section of its own, its payload, and the reply cut while it arrives."""

import asyncio
import json
from typing import Any, AsyncIterator, Dict, Optional

from promptweave import Engine, component


@component(reads=["git.branch"])
def ticket(inputs: Dict[str, Any]) -> Optional[str]:
    branch = inputs.get("git", {}).get("branch")
    return f"This branch is for {branch}; name it in commits." if branch else None


PACK = {
    "name": "acme",
    "files": {
        "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
        "generic.toml": "order = ['role', 'ticket']",
        "components/role.md": "You are a coding agent.",
    },
}
SPECS = {"tools": {"read_file": {"params": {"path": "scalar"}}}}


async def model(body: Dict[str, Any]) -> AsyncIterator[str]:
    """Stands for a provider."""
    for chunk in ["I look", " into it.\n<read_", "file><path>main.rs</pa", "th></read_file>"]:
        await asyncio.sleep(0)
        yield chunk


async def main() -> None:
    engine = Engine(standard=False, packs=[PACK], components=[ticket])
    session = engine.session(date="2026-01-15")
    prompt = session.prompt({"git": {"branch": "ticket-42"}})
    print(prompt.text)
    payload = prompt.deliver("openai-chat")
    print(json.dumps(payload.body["messages"][0]["role"]))

    parser = engine.parser(specs=SPECS)
    async for event in parser.stream(model(payload.body), "end_turn"):
        if event["event"] == "delta":
            print("text:", event["text"].strip())
        # Only a call that closed with `text` is complete and may run.
        if event["event"] == "closed" and event["block"]["type"] == "tool_use" and event["end"] == "text":
            print("call:", event["block"]["name"], event["block"]["params"])


if __name__ == "__main__":
    asyncio.run(main())
