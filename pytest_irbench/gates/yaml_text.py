"""YAML 1.2 text to nodes that know their place; the only module that imports ``yaml``.

PyYAML reads YAML 1.1, where ``31_1`` is 311, ``no`` is false and ``1e-3`` is text. Only its parser is used
here: plain scalars are read by the YAML 1.2 core schema, and mapping keys are the text as written. The nodes
are built from the parser's events, so that neither depth nor an alias inside its own anchor can hurt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import yaml

from pytest_irbench.gates.nodes import ListNode, MapNode, Scalar, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_irbench.gates.nodes import Faults, Node

# libyaml is some ten times faster; a PyYAML built without it reads the same with the same places.
LOADER: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

# A file of gates is six levels deep. The parser's time grows with the square of the depth.
MAX_DEPTH = 50

_TAG = "tag:yaml.org,2002:"
_TAG_TYPES = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
# A longer number is infinite to us, and int() refuses thousands of digits.
_LONGEST_INT = 300

# What YAML forbids, byte order marks, and the line breaks of YAML 1.1 that editors don't count as lines.
_FORBIDDEN = "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"

_TOO_DEEP = f"lists and mappings are nested more than {MAX_DEPTH} deep here"
_TAB = "a tab stands here: YAML is indented with blanks"
_GOES_ON = "text goes on after what was complete: put the whole text in quotes"
_ESCAPE = "in double quotes a backslash starts an escape: write \\\\ for one, or use single quotes"
_START = "text can't start with this character: put it in quotes"
_INDENT = "this line does not fit the lines above it: check the indentation"

# A part of PyYAML's or libyaml's words -> ours, and whether the place to name is where the open thing starts.
_PLAIN_WORDS = (
    ("nesting depth", _TOO_DEEP, False),
    ("escape", _ESCAPE, False),
    ("hexdecimal", _ESCAPE, False),
    ("quoted scalar", "a quote is opened here and never closed", True),
    ("flow sequence", "a '[' is opened here and not closed, or a ',' is missing after it", True),
    ("flow mapping", "a '{' is opened here and not closed, or a ',' is missing after it", True),
    ("mapping values", "a ':' stands where no key can be: check the indentation, or quote the text", False),
    ("expected ':'", "this line has no ':' after its key", True),
    ("start any token", _START, False),
    ("node content", _START, False),
    ("sequence entries", "the '-' of a list can't stand here: put it on a line of its own", False),
    ("expected <document start>", "the file goes on after its end: check the indentation", False),
    ("while parsing a block", _INDENT, False),
)


class _UnreadableError(Exception):
    """A fault that nothing can be read past."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.fault = (line, column, message)


def parse(data: bytes, faults: Faults, loader: type[Any] = LOADER) -> Node | None:
    """Read the bytes of one YAML file.

    Parameters
    ----------
    data
        The file's content.
    faults
        Takes what can be read past: duplicate keys and keys that are no text.
    loader
        A loader class of PyYAML without implicit resolvers.

    Returns
    -------
    Node or None
        None when the file holds no document.

    Raises
    ------
    InputErrors
        When the text is no YAML or uses what is not read here: the `faults` so far and that one.
    """
    try:
        text = _decode(data)
        return _Builder(faults).build(_events(loader(text), text.split("\n")))
    except _UnreadableError as error:
        faults.add_at(*error.fault)
        raise faults.as_error() from None


def _decode(data: bytes) -> str:
    try:
        text = _normalized(data.decode())
    except UnicodeDecodeError as error:
        before = _normalized(data[: error.start].decode())
        raise _UnreadableError(*_end(before), "this is not UTF-8 text: save the file as UTF-8") from None
    # Compiling the pattern takes four milliseconds, and most files need no more than this.
    plain = text.isascii() and text.replace("\n", "").isprintable()
    if not plain and (bad := re.search(_FORBIDDEN, text)):
        message = (
            f"the character U+{ord(bad[0]):04X} is not allowed here: delete it, or write it as an escape"
        )
        raise _UnreadableError(*_end(text[: bad.start()]), message)
    return text


def _normalized(text: str) -> str:
    # A byte order mark would shift the columns of the first line.
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _end(text: str) -> tuple[int, int]:
    """Return the line and column of what follows this text."""
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def _events(loader: Any, lines: list[str]) -> Iterator[Any]:
    line, column = 1, 1
    try:
        while loader.check_event():
            event = loader.get_event()
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            # An escape can name half of a surrogate pair, which can't be printed.
            if isinstance(event, yaml.ScalarEvent) and not event.value.isascii():
                event.value.encode()
            yield event
    except yaml.MarkedYAMLError as error:
        raise _in_plain_words(error, lines) from None
    except (ValueError, OverflowError):
        # PyYAML's own parser lets these out for escapes beyond Unicode and endless version numbers.
        raise _UnreadableError(
            line, column, "here or just after is an escape that names no character"
        ) from None


def _in_plain_words(error: yaml.MarkedYAMLError, lines: list[str]) -> _UnreadableError:
    mark = cast("Any", error.problem_mark or error.context_mark)
    line = lines[mark.line] if mark.line < len(lines) else ""
    indent = len(line) - len(line.lstrip())
    if "\t" in line[:indent] or line[mark.column : mark.column + 1] == "\t":
        return _UnreadableError(mark.line + 1, line.index("\t") + 1, _TAB)
    said = f"{error.context} {error.problem}"
    for part, words, at_start in _PLAIN_WORDS:
        if part in said:
            message = _GOES_ON if words is _INDENT and mark.column > indent else words
            mark = error.context_mark if at_start and error.context_mark else mark
            return _UnreadableError(mark.line + 1, mark.column + 1, message)
    return _UnreadableError(mark.line + 1, mark.column + 1, f"this is not YAML: {error.problem}")


@dataclass(slots=True)
class _Open:
    """A collection whose end is still to come."""

    node: ListNode | MapNode
    key: Node | None = None


class _Builder:
    """Builds the tree of one document from the parser's events."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.root: Node | None = None
        self.open: list[_Open] = []
        self.anchors: dict[str, Node] = {}

    def build(self, events: Iterator[Any]) -> Node | None:
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._add(self._anchored(event, _scalar(event)))
            elif isinstance(event, yaml.CollectionStartEvent):
                self._start(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._add(self.open.pop().node)
            elif isinstance(event, yaml.AliasEvent):
                self._add(self._aliased(event))
            elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
                raise _unreadable(event, "a second document starts here: one file holds one document")
        return self.root

    def _start(self, event: Any) -> None:
        kind, name = (MapNode, "map") if isinstance(event, yaml.MappingStartEvent) else (ListNode, "seq")
        if event.tag not in (None, "!", _TAG + name):
            raise _unreadable(event, _wrong_tag(event))
        if len(self.open) == MAX_DEPTH:
            raise _unreadable(event, _TOO_DEEP)
        node = kind(event.start_mark.line + 1, event.start_mark.column + 1)
        self._anchored(event, node)
        self.open.append(_Open(node))

    def _anchored(self, event: Any, node: Node) -> Node:
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _aliased(self, event: Any) -> Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            raise _unreadable(event, f"the alias *{event.anchor} has no anchor &{event.anchor} before it")
        if any(outer.node is node for outer in self.open):
            raise _unreadable(event, f"the alias *{event.anchor} stands inside its own anchor")
        if isinstance(node, Scalar) and self.open and self.open[-1].key is None:
            # Keys and list items are named where they stand; a value where it is written.
            return replace(node, line=event.start_mark.line + 1, column=event.start_mark.column + 1)
        return node

    def _add(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        top = self.open[-1]
        if isinstance(top.node, ListNode):
            top.node.items.append(node)
        elif top.key is None:
            top.key = node
        else:
            self._add_entry(top.node, top.key, node)
            top.key = None

    def _add_entry(self, mapping: MapNode, key: Node, value: Node) -> None:
        if not isinstance(key, Scalar):
            self.faults.add(key, "a key must be text, not a list or a mapping")
        elif key.text in mapping.entries:
            first = mapping.entries[key.text][0].line
            self.faults.add(key, f"the key {shown(key.text)} is given twice, first in line {first}: keep one")
        else:
            mapping.entries[key.text] = (key, value)


def _scalar(event: Any) -> Scalar:
    text, tag = event.value, event.tag
    plain = _core_value(text)
    value = text if event.style or tag is not None else plain
    if tag not in (None, "!", _TAG + "str"):
        value = plain
        # The exact type: true is an int to isinstance.
        if type(value) not in _TAG_TYPES.get(tag.removeprefix(_TAG), ()):
            raise _unreadable(event, _wrong_tag(event))
    return Scalar(text, value, plain, event.start_mark.line + 1, event.start_mark.column + 1)


def _core_value(text: str) -> str | float | bool | None:
    """Read a plain scalar by the core schema of YAML 1.2 (section 10.3.2)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text) and len(text) <= _LONGEST_INT:
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)
    if _FLOAT.fullmatch(text):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def _unreadable(event: Any, message: str) -> _UnreadableError:
    return _UnreadableError(event.start_mark.line + 1, event.start_mark.column + 1, message)


def _wrong_tag(event: Any) -> str:
    return f"the tag {event.tag.replace(_TAG, '!!')} is not understood here: leave it out"
