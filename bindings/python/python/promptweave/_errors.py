"""Exceptions: one base, and beneath it what Python calls the same mistake."""

from typing import Any, Dict, Optional, Tuple, Type


class PromptweaveError(Exception):
    """Why a call gave nothing. With ``strict=True`` also the first warning."""

    def __init__(self, code: str, message: str, help: Optional[str] = None) -> None:
        super().__init__(code, message, help)
        #: A stable name for programs, e.g. ``no-variant``.
        self.code = code
        #: What happened.
        self.message = message
        #: What to do about it.
        self.help = help
        #: Where, as diagnostics say it.
        self.origin: Dict[str, Any] = {}
        #: The file that it is about.
        self.file: Optional[str] = None
        #: The bytes of that file, from the first to behind the last.
        self.span: Optional[Tuple[int, int]] = None

    def __str__(self) -> str:
        return f"{self.message}\nhelp: {self.help}" if self.help else self.message


class OptionsError(PromptweaveError, TypeError, ValueError):
    """Options with an unknown key, a value of a wrong type, or a name of nothing."""


class ContextError(PromptweaveError, TypeError, ValueError):
    """A context that is not one JSON object, or nests too deeply."""


class InputError(PromptweaveError, ValueError):
    """A text that is not what it should be, or too much of it."""


class VariantError(PromptweaveError, LookupError):
    """No variant can be had for what is asked."""


class UsageError(PromptweaveError, RuntimeError):
    """A call at a time or a place where it cannot be."""


BY_CODE: Dict[str, Type[PromptweaveError]] = {
    "options-invalid": OptionsError,
    "target-unknown": OptionsError,
    "stop-reason-unknown": OptionsError,
    "dialect-unknown": OptionsError,
    "tools-invalid": OptionsError,
    "context-invalid": ContextError,
    "session-invalid": InputError,
    "input-too-large": InputError,
    "no-variant": VariantError,
    "unknown-variant": VariantError,
    "unknown-version": VariantError,
    "engine-reentered": UsageError,
}
