"""What a component's thread runs."""

from typing import Any, Callable, Dict, Optional, Tuple


class Asked:
    """A function, and what it raises as a sentence."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable[[Dict[str, Any]], Optional[str]]) -> None:
        self.function = function

    def __call__(self, inputs: Dict[str, Any]) -> Tuple[Optional[str], Optional[str]]:
        """What the function gives, or the sentence that its exception says."""
        try:
            return self.function(inputs), None
        except BaseException as error:
            # Nobody else would close what it holds.
            error.__traceback__ = None
            return None, _said(error)


def _said(error: BaseException) -> str:
    """Its text; with its name where that alone is a key, a number or nothing."""
    name = type(error).__name__
    try:
        said = str(error)
    except BaseException:
        said, named = "its text cannot be had", True
    else:
        named = isinstance(error, KeyError) or not isinstance(error, Exception)
    said = f"{name}: {said}" if said and named else said or name
    return said.encode(errors="replace").decode()
