"""What `mypy --strict` must take, and what it must not: an unused `ignore` is an error there."""

import dataclasses
from pathlib import Path
from typing import Any, AsyncIterator, Dict, List, Optional

from promptweave import Component, Engine, OptionsError, Parser, Prompt, PromptweaveError, component


@dataclasses.dataclass
class Host:
    cwd: str


class Model:
    def model_dump(self, *, mode: str = "python") -> Dict[str, Any]:
        return {"mode": mode}


@component(id="place", reads=["cwd"], cache="session")
def place(inputs: Dict[str, Any]) -> Optional[str]:
    return str(inputs["cwd"])


@component
def own(inputs: Dict[str, Any]) -> str:
    return str(inputs)


made: Component = Component(str, id="made")
engine = Engine(packs=[Path("pack"), {"name": "a", "files": {"pack.toml": ""}}], components=[place, own])
prompts: List[Prompt] = [
    engine.prompt({"cwd": "/"}),
    engine.prompt(Host("/")),
    engine.prompt(Model()),
    engine.prompt("{}"),
    engine.prompt(),
]
text: str = engine.session(date="2026-01-15").prompt({}, variant="claude", budget=1000).text
body: Dict[str, Any] = prompts[0].deliver("anthropic", one_hour=["main"]).body


async def arriving() -> AsyncIterator[str]:
    yield "a"


async def read(parser: Parser) -> List[str]:
    kinds = [event["event"] for event in parser.push(b"a")]
    kinds += [event["event"] for event in parser.stream(["a", b"b"], "end_turn")]
    return kinds + [event["event"] async for event in parser.stream(arriving())]


def place_of(error: PromptweaveError) -> Optional[int]:
    code: str = error.code
    return error.span[0] if error.span and code and isinstance(error, (OptionsError, ValueError)) else None


engine.prompt(7)  # type: ignore[arg-type]
engine.prompt({}, varaint="claude")  # type: ignore[call-arg]
Engine(standard="yes")  # type: ignore[arg-type]
prompts[0].text = ""  # type: ignore[misc]
prompts[0].deliver("pigeon")  # type: ignore[arg-type]
