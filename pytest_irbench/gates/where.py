"""Which topics belong to a slice: an expression such as ``turn >= 5``, and the topics for which it holds.

`where_text.py` says what an expression is, this module what it means.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pytest_irbench.benchmarks.topic_columns import KNOWN_COLUMNS
from pytest_irbench.benchmarks.topics import some_ids
from pytest_irbench.errors import InputError, clipped
from pytest_irbench.gates.nodes import nearest, shown
from pytest_irbench.gates.where_text import as_number, comparisons, fault, is_text, read_condition

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Topic, Topics
    from pytest_irbench.benchmarks.topic_columns import TopicColumns

Value: TypeAlias = str | int | float | None
Row: TypeAlias = Mapping[str, Value]

_ORDER: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True)
class Where:
    """An expression that can be read; equal when its text is equal.

    Attributes
    ----------
    text
        As written, without blanks around it.
    names
        The columns that it reads.
    tree
        The expression itself, of the forms that `parse_where` lets through.
    """

    text: str
    names: frozenset[str]
    tree: ast.expr = field(compare=False, repr=False)


def parse_where(text: str) -> Where:
    """Read an expression: comparisons of columns with values, joined by ``and``, ``or``, ``not``.

    A comparison has ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, or ``in`` and ``not in`` with a list of
    values; values are numbers and texts in quotes. `select` says what comparisons mean.

    Parameters
    ----------
    text
        For instance ``3 <= turn <= 5 and conversation != "31"``.

    Raises
    ------
    InputError
        Without a path, when it is no such expression.
    """
    # The parser ends lines at all of these.
    text = text.strip().replace("\r\n", "\n").replace("\r", "\n")
    tree, names = read_condition(text)
    return Where(text, names, tree)


def select(where: Where, topics: Topics, columns: TopicColumns | None) -> tuple[str, ...]:
    """Return the query_ids of the topics for which an expression holds, in the topics' order.

    ``turn`` is a whole number; ``query_id``, ``conversation``, ``text`` and the user's columns are texts.

    - Against a number, a text is the number that it reads as: ``07`` and ``7.0`` equal 7. A text that is no
      number equals none, and can't be ordered against one.
    - Two texts are equal when they are the same, character by character.
    - ``<``, ``<=``, ``>``, ``>=`` order numbers, also between two columns. Against a text in quotes they
      order texts by their characters, as is right for ``day >= "2024-06-01"``.
    - A topic outside conversations has no turn and no conversation. A comparison with them is neither true
      nor false, and so is its ``not``: ``not turn >= 5`` picks what ``turn < 5`` picks.
    - What ``and`` and ``or`` don't need to know is not looked at.

    Parameters
    ----------
    where
        The expression.
    topics
        The judged topics.
    columns
        The user's columns, or None.

    Raises
    ------
    InputError
        Without a path: for an unknown name, a topic without a row in `columns`, turns where there are
        none, a text that can't be ordered against a number, and when no topic is picked.
    """
    _check_names(where, columns)
    rows = [_row(topic, columns) for topic in topics]
    _check_rows(where, rows, columns)
    try:
        picked = tuple(str(row["query_id"]) for row in rows if _outcome(where.tree, row))
    except InputError as error:
        raise fault(where.text, error.message) from None
    if not picked:
        raise InputError(
            f"where {shown(where.text)} picks none of the {len(rows)} topics{_what_there_is(where, rows)}"
        )
    return picked


def _check_names(where: Where, columns: TopicColumns | None) -> None:
    known = [*KNOWN_COLUMNS, *(columns.names if columns else ())]
    for name in sorted(where.names.difference(known)):
        raise fault(
            where.text, f"unknown name '{clipped(name)}' (texts are put in quotes){nearest(name, known)}"
        )


def _row(topic: Topic, columns: TopicColumns | None) -> Row:
    cells = columns.rows.get(topic.query_id, {}) if columns else {}
    return {
        "query_id": topic.query_id,
        "conversation": topic.conversation,
        "turn": topic.turn,
        "text": topic.raw,
        **cells,
    }


def _check_rows(where: Where, rows: list[Row], columns: TopicColumns | None) -> None:
    for name in ("turn", "conversation"):
        if name in where.names and all(row[name] is None for row in rows):
            raise fault(where.text, f"the topics have no {name}: this benchmark has no conversations")
    own = where.names.difference(KNOWN_COLUMNS)
    if columns and own:
        lacking = [str(row["query_id"]) for row in rows if not own <= row.keys()]
        if lacking:
            raise fault(
                where.text,
                f"{columns.path} has no row for {len(lacking)} of the {len(rows)} judged topics: "
                f"{some_ids(lacking)}: add a row for each",
            )


def _what_there_is(where: Where, rows: list[Row]) -> str:
    """Say what values the columns have that an expression reads."""
    said = []
    for name in sorted(where.names):
        values = dict.fromkeys(row[name] for row in rows if row[name] is not None)
        if name == "turn":
            turns = cast("Iterable[int]", values)
            said.append(f"turn goes from {min(turns)} to {max(turns)}")
        else:
            said.append(f"{name} is {some_ids(str(value)[:80] for value in values)}")
    return f": {'; '.join(said)}"


def _outcome(node: ast.expr, row: Row) -> bool | None:
    """Return whether a condition holds for a topic; None when that is neither true nor false."""
    if isinstance(node, ast.UnaryOp):
        return _negated(_outcome(node.operand, row))
    if isinstance(node, ast.BoolOp):
        outcomes = (_outcome(part, row) for part in node.values)
        if isinstance(node.op, ast.And):
            return _all(outcomes)
        return _negated(_all(map(_negated, outcomes)))
    return _all(_compared(*parts, row) for parts in comparisons(cast("ast.Compare", node)))


def _all(outcomes: Iterable[bool | None]) -> bool | None:
    unknown = False
    for outcome in outcomes:
        if outcome is False:
            return False
        unknown |= outcome is None
    return None if unknown else True


def _negated(outcome: bool | None) -> bool | None:
    return None if outcome is None else not outcome


def _compared(left: ast.expr, sign: ast.cmpop, right: ast.expr, row: Row) -> bool | None:
    if isinstance(sign, (ast.In, ast.NotIn)):
        found = _any_equal(_value(left, row), ast.literal_eval(right))
        return found if isinstance(sign, ast.In) else _negated(found)
    one, other = _value(left, row), _value(right, row)
    if one is None or other is None:
        return None
    if isinstance(sign, (ast.Eq, ast.NotEq)):
        return _equal(one, other) == isinstance(sign, ast.Eq)
    if not is_text(left) and not is_text(right):
        one, other = _ordered(left, one, row), _ordered(right, other, row)
    return _ORDER[type(sign)](one, other)


def _value(node: ast.expr, row: Row) -> Value:
    return row[node.id] if isinstance(node, ast.Name) else cast("Value", ast.literal_eval(node))


def _any_equal(value: Value, choices: Iterable[str | float]) -> bool | None:
    return None if value is None else any(_equal(value, choice) for choice in choices)


def _equal(one: str | float, other: str | float) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    return as_number(one) == as_number(other)


def _ordered(node: ast.expr, value: str | float, row: Row) -> float:
    """Return a value as the number that it must be to be ordered."""
    number = as_number(value)
    if number is None:
        name = cast("ast.Name", node).id
        raise InputError(
            f"{name} of query {row['query_id']!r} is {shown(str(value))}, which is no number: "
            "correct it, or order texts against a text in quotes"
        )
    return number
