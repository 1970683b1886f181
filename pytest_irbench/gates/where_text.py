"""The text of a ``where:``, read as a tree of the few forms that are known here.

Python's parser makes the tree; nothing is evaluated by Python.
"""

from __future__ import annotations

import ast
import re
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.gates.nodes import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LENGTH = 10_000
"""The longest expression, in characters."""

MAX_DEPTH = 20
"""How deep ``and``, ``or``, ``not`` may be nested."""

_EXAMPLE = 'write it like turn >= 5 and conversation in ["31", "32"]'
_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# One literal as users mean it: no two texts side by side, no 31_1, which Python reads as 311.
_TEXT = re.compile(r"""[rRuU]?("([^"\\]|\\.)*"|'([^'\\]|\\.)*')""", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LONGEST_INT = 1000


def read_condition(text: str) -> tuple[ast.expr, frozenset[str]]:
    """Return the tree of an expression, and the names in it.

    Parameters
    ----------
    text
        The expression; `where.parse_where` says what it may be.

    Raises
    ------
    InputError
        Without a path, when it has a form that is not known here.
    """
    reader = _Reader(text)
    tree = reader.parse()
    reader.condition(tree)
    return tree, frozenset(reader.names)


def fault(text: str, message: str) -> InputError:
    """Make the error that says what is wrong with an expression."""
    return InputError(f"where {shown(text)}: {message}")


def is_text(node: ast.expr) -> bool:
    """Tell whether a node is a text in quotes."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def comparisons(node: ast.Compare) -> Iterator[tuple[ast.expr, ast.cmpop, ast.expr]]:
    """Take a chain such as ``3 <= turn <= 5`` apart."""
    for (left, right), sign in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
        yield left, sign, right


def as_number(value: str | float) -> float | None:
    """Return the number that a text reads as, exact where it is whole; None when it reads as none."""
    if not isinstance(value, str):
        return value
    if not _NUMBER.fullmatch(value):
        return None
    is_whole = value.lstrip("+-").isdecimal() and len(value) <= _LONGEST_INT
    return int(value) if is_whole else float(value)


class _Reader:
    """Checks a tree form by form, and collects the names in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.encode(errors="replace").splitlines(keepends=True)
        self.names: set[str] = set()

    def parse(self) -> ast.expr:
        if not self.text:
            raise self._fault(f"is empty: {_EXAMPLE}")
        if len(self.text) > MAX_LENGTH:
            raise self._fault(
                f"is longer than {MAX_LENGTH} characters: tell the topics apart by a column of your own"
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # advice to people who write Python
                return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            raise self._fault(_in_plain_words(self.text, error)) from None
        except (ValueError, RecursionError, MemoryError):
            raise self._fault(f"this can't be read: {_EXAMPLE}") from None

    def condition(self, node: ast.expr, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise self._fault(f"and, or, not are nested more than {MAX_DEPTH} deep: write it flatter")
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                self.condition(part, depth + 1)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.condition(node.operand, depth + 1)
        elif isinstance(node, ast.Compare):
            for left, sign, right in comparisons(node):
                self._comparison(left, sign, right)
        else:
            raise self._fault(f"{self._shown(node)} is no comparison: {_EXAMPLE}")

    def _comparison(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> None:
        if isinstance(sign, (ast.Is, ast.IsNot)):
            raise self._fault("'is' is not understood here: write == or !=")
        others = self._items(right) if isinstance(sign, (ast.In, ast.NotIn)) else [right]
        operands = [left, *others]
        names = {self._name(operand) for operand in operands} - {None}
        if not names:
            raise self._fault(
                f"{self._shown(left)} and {self._shown(right)} are compared without a column: {_EXAMPLE}"
            )
        self.names |= cast("set[str]", names)
        for operand in filter(is_text, operands):
            self._check_kind(operand, sign, names)

    def _items(self, node: ast.expr) -> list[ast.expr]:
        items = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else []
        if not items or any(isinstance(item, ast.Name) for item in items):
            values = 'a list of numbers or texts in quotes such as ["31", "32"]'
            raise self._fault(f"'in' looks in {values}, not in {self._shown(node)}")
        return items

    def _name(self, node: ast.expr) -> str | None:
        """Return the name of a column, or None for a number or a text; anything else is refused."""
        if isinstance(node, ast.Name):
            return node.id
        if is_text(node):
            if not _TEXT.fullmatch(self._source(node)):
                raise self._fault(f"{self._shown(node)} is not one text in quotes: put commas between texts")
        elif not _is_number(node):
            raise self._fault(f"{self._shown(node)} is no column, number or text in quotes: {_EXAMPLE}")
        elif not _NUMBER.fullmatch(self._source(node).replace(" ", "")):
            raise self._fault(f"{self._shown(node)} is no decimal number: put an id in quotes")
        return None

    def _check_kind(self, text: ast.expr, sign: ast.cmpop, names: set[str | None]) -> None:
        """Refuse a text where only a number makes sense."""
        value = cast("str", ast.literal_eval(text))
        reads_as_number = as_number(value) is not None
        if "turn" in names:
            instead = f"write {value} without quotes" if reads_as_number else "write it like turn >= 5"
            raise self._fault(f"turn is a number and {self._shown(text)} a text: {instead}")
        if isinstance(sign, _ORDERING) and reads_as_number:
            raise self._fault(f"{self._shown(text)} is a text: to order numbers write {value} without quotes")

    def _source(self, node: ast.expr) -> str:
        # ast.get_source_segment goes through the whole text each time.
        first, last = node.lineno - 1, cast("int", node.end_lineno) - 1
        begin = sum(map(len, self.lines[:first])) + node.col_offset
        end = sum(map(len, self.lines[:last])) + cast("int", node.end_col_offset)
        return b"".join(self.lines)[begin:end].decode()

    def _shown(self, node: ast.expr) -> str:
        return clipped(self._source(node))

    def _fault(self, message: str) -> InputError:
        return fault(self.text, message)


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        node = node.operand
    # The exact type: true is an int to isinstance.
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _in_plain_words(text: str, error: SyntaxError) -> str:
    unquoted = re.split("[\"']", _TEXT.sub("", text))[0]
    if re.search(r"(?<![=!<>:])=(?![=>])", unquoted):
        return "one = does not compare: write =="
    if re.search(r"(?<![\w.])0\d", unquoted):
        return "a number does not begin with 0: put an id in quotes"
    place = f" from character {error.offset} on" if error.offset and "\n" not in text else ""
    return f"this can't be read{place}: {_EXAMPLE}"
