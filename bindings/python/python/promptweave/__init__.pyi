from os import PathLike
from typing import (
    Any,
    AsyncIterable,
    AsyncIterator,
    Callable,
    ClassVar,
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Union,
    final,
    overload,
    type_check_only,
)

from ._errors import ContextError as ContextError
from ._errors import InputError as InputError
from ._errors import OptionsError as OptionsError
from ._errors import PromptweaveError as PromptweaveError
from ._errors import UsageError as UsageError
from ._errors import VariantError as VariantError

__all__ = [
    "Component",
    "ContextError",
    "Engine",
    "Events",
    "InputError",
    "OptionsError",
    "Parser",
    "Payload",
    "Prompt",
    "PromptweaveError",
    "Session",
    "UsageError",
    "VariantError",
    "component",
    "plugin_host",
]

__version__: str

@type_check_only
class _Model(Protocol):
    def model_dump(self) -> Any: ...

@type_check_only
class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[Dict[str, Any]]

# What JSON says, as Python's own values.
_Json = Dict[str, Any]
_Context = Union[str, Mapping[str, Any], _Model, _Dataclass]
_Path = Union[str, PathLike[str]]
_Function = Callable[[_Json], Optional[str]]
_Class = Literal["static", "session", "volatile"]
_Reason = Union[str, Callable[[], Optional[str]], None]
_Target = Literal[
    "anthropic",
    "vertex",
    "bedrock",
    "openai-chat",
    "openai-responses",
    "openai-compatible",
    "xai",
    "gemini",
]

@final
class Component:
    """A function that gives the text of a section, or None; variants name it by its id."""

    def __new__(
        cls,
        function: _Function,
        /,
        *,
        id: str,
        reads: Optional[Sequence[str]] = ...,
        cache: Optional[_Class] = ...,
        reason: Optional[str] = ...,
        description: Optional[str] = ...,
        deadline_ms: Optional[int] = ...,
    ) -> Component: ...
    @property
    def __wrapped__(self) -> _Function:
        """The function, whose name, signature and documentation tools show."""

    def __call__(self, inputs: _Json, /) -> Optional[str]:
        """Calls the function as if it were no component."""

@overload
def component(function: _Function, /) -> Component: ...
@overload
def component(
    function: None = None,
    /,
    *,
    id: str = ...,
    reads: Optional[Sequence[str]] = ...,
    cache: Optional[_Class] = ...,
    reason: Optional[str] = ...,
    description: Optional[str] = ...,
    deadline_ms: Optional[int] = ...,
) -> Callable[[_Function], Component]:
    """Makes a component of the function below; its id is the function's name unless another is given."""

def plugin_host() -> Optional[str]:
    """The program that plugins run in: the one that the environment names, else the one of this package."""

@final
class Engine:
    """Builds prompts from packs, plugins and components. It never changes; to reload, make a new one."""

    def __new__(
        cls,
        *,
        components: Optional[Sequence[Component]] = None,
        standard: Optional[bool] = ...,
        packs: Optional[Sequence[Union[_Path, Mapping[str, Any]]]] = ...,
        project: Optional[_Path] = ...,
        trust: Optional[Literal["if-trusted", "always", "never"]] = ...,
        trust_file: Optional[_Path] = ...,
        models: Optional[Mapping[str, str]] = ...,
        plugins: Optional[Mapping[str, Any]] = ...,
        strict: Optional[bool] = ...,
    ) -> Engine: ...
    def prompt(
        self,
        context: Optional[_Context] = None,
        *,
        variant: Optional[str] = ...,
        label: Optional[str] = ...,
        tag: Optional[str] = ...,
        budget: Optional[int] = ...,
    ) -> Prompt:
        """Builds the prompt of the variant that matches the context, or that is asked for."""

    def session(
        self,
        *,
        date: Optional[str] = ...,
        time: Optional[str] = ...,
        probes: Optional[bool] = ...,
    ) -> Session:
        """Begins a session."""

    def restore(self, saved: str, *, probes: Optional[bool] = ...) -> Session:
        """Goes on with a session that ``Session.save`` wrote."""

    def probe(self, context: Optional[_Context] = None) -> Tuple[_Json, List[_Json]]:
        """Lets the probes of plugins fill what the context does not say: the context, and diagnostics."""

    def parser(
        self,
        *,
        mode: Optional[Literal["robust", "exact"]] = ...,
        dialect: Optional[str] = ...,
        specs: Union[Mapping[str, Any], Sequence[Mapping[str, Any]], None] = ...,
        tools: Optional[Sequence[str]] = ...,
        params: Optional[Sequence[str]] = ...,
        raw: Optional[Sequence[str]] = ...,
        variant: Optional[str] = ...,
        typed: Optional[bool] = ...,
        fenced_calls: Optional[bool] = ...,
        starts_in_reasoning: Optional[bool] = ...,
        call_ends_reasoning: Optional[bool] = ...,
        tag_suffix: Optional[str] = ...,
    ) -> Parser:
        """A parser for one reply, by default with the tools of this engine's packs."""

    def check(self) -> List[_Json]:
        """Every mistake of loading, and what a closer look shows."""

    @property
    def diagnostics(self) -> List[_Json]:
        """Every mistake of loading."""

@final
class Session:
    """Builds the prompts of one conversation, so that what providers have cached stays valid."""

    def prompt(
        self,
        context: Optional[_Context] = None,
        *,
        variant: Optional[str] = ...,
        label: Optional[str] = ...,
        tag: Optional[str] = ...,
        budget: Optional[int] = ...,
    ) -> Prompt:
        """Builds the prompt, or hands out the last one when nothing that it was made of has changed."""

    def reset(self, *, date: Optional[str] = ..., time: Optional[str] = ...) -> None:
        """Forgets everything but the clock, which shows ``date`` and ``time`` where they are given."""

    def save(self) -> str:
        """The session as a text for ``Engine.restore``."""

@final
class Prompt:
    """A finished prompt. Each part is made when it is asked for, and once."""

    @property
    def text(self) -> str:
        """The text, as ``str(prompt)`` gives it."""

    @property
    def variant(self) -> str:
        """The id of the variant that it was made of."""

    @property
    def sections(self) -> Dict[str, str]:
        """The texts of the sections that are there by their ids, in order."""

    def section(self, id: str) -> Optional[str]:
        """The text of a section; None when it is not there."""

    @property
    def blocks(self) -> List[_Json]:
        """Its text in runs of one cache scope."""

    @property
    def layers(self) -> _Json:
        """Its layers with their texts and weights."""

    @property
    def diagnostics(self) -> List[_Json]:
        """What was met while building."""

    @property
    def result(self) -> _Json:
        """Everything about it, as ``promptweave build --format json`` prints it; offsets are bytes of UTF-8."""

    def to_result(self, *, offsets: Optional[Literal["bytes", "utf16"]] = ...) -> _Json:
        """The same with other offsets."""

    def deliver(
        self,
        target: _Target,
        *,
        one_hour: Optional[Sequence[str]] = ...,
        wire_scope: Optional[bool] = ...,
        cache_key: Optional[str] = ...,
    ) -> Payload:
        """The payload for the API of that name, with the tools of the context."""

@final
class Payload:
    """What goes to a provider."""

    @property
    def headers(self) -> Dict[str, str]:
        """The headers, by name."""

    @property
    def body(self) -> _Json:
        """The body."""

    @property
    def diagnostics(self) -> List[_Json]:
        """What could not be kept on the way."""

@final
class Parser:
    """Cuts one reply into text, reasoning and tool calls. Make a new one for each reply."""

    def __new__(
        cls,
        *,
        mode: Optional[Literal["robust", "exact"]] = ...,
        dialect: Optional[str] = ...,
        specs: Union[Mapping[str, Any], Sequence[Mapping[str, Any]], None] = ...,
        tools: Optional[Sequence[str]] = ...,
        params: Optional[Sequence[str]] = ...,
        raw: Optional[Sequence[str]] = ...,
        variant: Optional[str] = ...,
        typed: Optional[bool] = ...,
        fenced_calls: Optional[bool] = ...,
        starts_in_reasoning: Optional[bool] = ...,
        call_ends_reasoning: Optional[bool] = ...,
        tag_suffix: Optional[str] = ...,
    ) -> Parser: ...
    def push(self, chunk: Union[str, bytes]) -> Events:
        """Takes a chunk: a string, or bytes that may end inside a character. Gives the events of this chunk."""

    def finish(self, reason: Optional[str] = None) -> Events:
        """Ends the reply and gives the last events; ``reason`` is why the model stopped, as its provider says."""

    @property
    def blocks(self) -> List[_Json]:
        """The blocks so far."""

    @overload
    def stream(
        self, chunks: Iterable[Union[str, bytes]], reason: _Reason = None
    ) -> Iterator[_Json]: ...
    @overload
    def stream(
        self, chunks: AsyncIterable[Union[str, bytes]], reason: _Reason = None
    ) -> AsyncIterator[_Json]:
        """The events of a whole stream, ended: of strings or bytes, from a sync or an async iterable."""

@final
class Events:
    """The events of one push, in order; made when they are first read."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, at: int, /) -> _Json: ...
    @overload
    def __getitem__(self, at: slice, /) -> List[_Json]: ...
    def __iter__(self) -> Iterator[_Json]: ...
