"""What a component's thread runs."""

from typing import Any, Callable, Dict, Optional, Tuple


def answer(
    function: Callable[[Dict[str, Any]], Optional[str]], inputs: Dict[str, Any]
) -> Tuple[Optional[str], Optional[str]]:
    """What a component gives, or the sentence that its exception says."""
    try:
        return function(inputs), None
    except BaseException as error:
        # Nobody else would close what it holds.
        error.__traceback__ = None
        said = str(error).encode(errors="replace").decode()
        return None, said or type(error).__name__
