"""The nodes of a file that people write, read as what they must be.

Nothing here raises at the first fault: faults are noted with their place and raised together.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from pytest_irbench.errors import InputError, InputErrors

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_LONGEST_SHOWN = 80
_MOST_LISTED = 12


@dataclass(slots=True)
class Scalar:
    """One value.

    Attributes
    ----------
    text
        As written, quotes and escapes resolved.
    value
        What the format makes of it; the text itself when it was quoted.
    plain
        What the format would make of it without quotes.
    line, column
        Its place, counted from 1.
    """

    text: str
    value: str | float | bool | None
    plain: str | float | bool | None
    line: int
    column: int


@dataclass(slots=True)
class ListNode:
    """A list of nodes."""

    line: int
    column: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class MapNode:
    """A mapping: a key's text -> the key with its place, and the value."""

    line: int
    column: int
    entries: dict[str, tuple[Scalar, Node]] = field(default_factory=dict)


Node: TypeAlias = Scalar | ListNode | MapNode


class Faults:
    """The faults found in one file so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: dict[tuple[int, int, str], InputError] = {}

    def add(self, place: Node, message: str) -> None:
        """Note a fault at the place of a node."""
        self.add_at(place.line, place.column, message)

    def add_at(self, line: int, column: int, message: str) -> None:
        """Note a fault; one that is met again through an alias counts once."""
        self._found.setdefault((line, column, message), InputError(message, self.path, line, column))

    def as_error(self) -> InputErrors:
        """Return what was found, in the order of the file."""
        return InputErrors([self._found[key] for key in sorted(self._found)])

    def raise_all(self) -> None:
        """Raise what was found.

        Raises
        ------
        InputErrors
            When there is at least one fault.
        """
        if self._found:
            raise self.as_error()


class Fields:
    """A mapping with known keys, each read as what it must be.

    Parameters
    ----------
    node
        The mapping; its unknown keys become faults.
    faults
        Takes the faults.
    what
        What the mapping is, for messages: ``a gate``.
    keys
        The known keys.
    """

    def __init__(self, node: MapNode, faults: Faults, what: str, keys: Collection[str]) -> None:
        self.faults = faults
        self.known = {key: entry for key, entry in node.entries.items() if key in keys}
        for name, (key, _) in node.entries.items():
            if name not in keys:
                faults.add(key, f"unknown key {shown(name)} in {what}{nearest(name, keys)}")

    def __contains__(self, key: str) -> bool:
        return key in self.known

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or None when the key is missing."""
        return self.known[key][1] if key in self.known else None

    def text(self, key: str, example: str) -> str | None:
        """Read text; None when the key is missing or faulty."""
        node = self.get(key)
        if node is None:
            return None
        scalar = as_text(node, self.faults, f"{key} is text such as {example}")
        return scalar.text if scalar else None

    def texts(self, key: str, example: str) -> list[Scalar]:
        """Read a text or a list of texts; empty when the key is missing or faulty."""
        node = self.get(key)
        if isinstance(node, ListNode) and node.items:
            accepted = f"an item of {key} is text such as {example}"
            read = [as_text(item, self.faults, accepted) for item in node.items]
        elif node is not None:
            read = [as_text(node, self.faults, f"{key} is text such as {example}, or a list of such texts")]
        else:
            read = []
        return [scalar for scalar in read if scalar]

    def whole(self, key: str, example: int) -> int | None:
        """Read a whole number from 1; None when the key is missing or faulty."""
        node = self.get(key)
        if node is None:
            return None
        if isinstance(node, Scalar) and type(node.value) is int and node.value >= 1:
            return node.value
        self.faults.add(node, wrong_number(node, f"{key} is a whole number from 1, such as {example}"))
        return None

    def number(self, key: str, example: float) -> float | None:
        """Read a number above 0; None when the key is missing or faulty."""
        node = self.get(key)
        if node is None:
            return None
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
            return float(value)
        self.faults.add(node, wrong_number(node, f"{key} is a number above 0, such as {example:g}"))
        return None

    def flag(self, key: str) -> bool:
        """Read ``true`` or ``false``; false when the key is missing or faulty."""
        node = self.get(key)
        if node is None or (isinstance(node, Scalar) and isinstance(node.value, bool)):
            return node is not None and bool(node.value)
        self.faults.add(node, f"{key} is true or false, not {described(node)}")
        return False


def as_map(node: Node, faults: Faults, accepted: str) -> MapNode | None:
    """Return a mapping that isn't empty; else note what was found and what is accepted."""
    if isinstance(node, MapNode) and node.entries:
        return node
    faults.add(node, f"{accepted}, not {described(node)}")
    return None


def as_text(node: Node, faults: Faults, accepted: str) -> Scalar | None:
    """Return text that isn't empty; else note what was found and what is accepted."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.text:
        return node
    hint = f": put '{node.text}' in quotes" if isinstance(node, Scalar) and node.text else ""
    faults.add(node, f"{accepted}, not {described(node)}{hint}")
    return None


def wrong_number(node: Node, accepted: str) -> str:
    """Say that a node is not the number it must be, and how to write it when it is only quoted."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and type(node.plain) in (int, float):
        return f"{shown(node.text)} is text: write {node.text} without quotes"
    return f"{accepted}, not {described(node)}"


def described(node: Node) -> str:
    """Say what a node is, for a message."""
    if not isinstance(node, Scalar):
        kind, filled = ("list", node.items) if isinstance(node, ListNode) else ("mapping", node.entries)
        return f"a {kind}" if filled else f"an empty {kind}"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, str):
        return f"the text {shown(node.text)}" if node.text else "an empty text"
    return node.text if isinstance(node.value, bool) else f"the number {shown(node.text)[1:-1]}"


def shown(text: str) -> str:
    """Quote text of the user for a message: on one line, printable and not endless."""
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}...")


def nearest(word: str, choices: Collection[str]) -> str:
    """Return the end of a message about an unknown word: the nearest right one, or all."""
    # Words are short; the comparison takes the square of the length.
    close = difflib.get_close_matches(word[:_LONGEST_SHOWN], choices, n=1)
    if close:
        return f", did you mean {close[0]!r}?"
    return f": known are {', '.join(islice(choices, _MOST_LISTED))}{', ...' * (len(choices) > _MOST_LISTED)}"
