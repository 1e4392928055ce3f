"""Builds prompts from packs, and cuts what models reply into text, reasoning and tool calls."""

import os as _os

from ._errors import (
    ContextError,
    InputError,
    OptionsError,
    PromptweaveError,
    UsageError,
    VariantError,
)
from ._promptweave import VERSION as __version__
from ._promptweave import Component, Engine, Events, Parser, Payload, Prompt, Session

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


def component(function=None, /, **declared):
    """Makes a component of the function below; its id is the function's name unless another is given."""
    if function is None:
        return lambda function: component(function, **declared)
    return Component(function, **{"id": getattr(function, "__name__", None), **declared})


def plugin_host():
    """The program that plugins run in: the one that the environment names, else the one of this package."""
    named = _os.environ.get("PROMPTWEAVE_PLUGIN_HOST")
    path = _os.path.join(_os.path.dirname(__file__), "bin", "promptweave-plugin-host")
    return named or (path if _os.path.exists(path) else None)
