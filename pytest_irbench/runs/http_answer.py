"""The hits in the JSON answer of a search service."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pytest_irbench.errors import InputError, clipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from jmespath.parser import ParsedResult

    from pytest_irbench.errors import SystemFailedError


_EXCERPT = 2000  # bytes; what is shown of it is cut after secrets are hidden


class Paths(NamedTuple):
    """Where an answer has its hits, and a hit its id and score."""

    hits: ParsedResult
    id: ParsedResult
    score: ParsedResult | None

    @classmethod
    def compiled(cls, hits: str, id_: str, score: str | None) -> Self:
        """Compile the three JMESPaths of a system.

        Raises
        ------
        InputError
            When one is malformed; its message begins with the key.
        """
        last = None if score is None else _compiled("score", score)
        return cls(_compiled("hits", hits), _compiled("id", id_), last)


class Telling(NamedTuple):
    """How a fault of an answer is told.

    Attributes
    ----------
    fault
        Builds the error from the end of a sentence that begins "... answered 200 OK, but".
    hidden
        Takes the secrets out of a text; what was cut in two would not be found.
    """

    fault: Callable[[str], SystemFailedError]
    hidden: Callable[[str], str]

    def named(self, value: Any) -> str:
        """Write a value, shortened."""
        return clipped(self.hidden(json.dumps(value, ensure_ascii=False)), 40)

    def outlined(self, value: Any) -> str:
        """Write a value; of a mapping its keys."""
        if isinstance(value, dict) and value:
            return f"a mapping with {', '.join(clipped(self.hidden(key), 30) for key in islice(value, 8))}"
        return self.named(value)


def read_hits(body: bytes, paths: Paths, tell: Telling) -> list[str] | list[tuple[str, float]]:
    """Read an answer: (doc_id, score) pairs, or the ids in order when hits have no score.

    Parameters
    ----------
    body
        The JSON text.
    paths
        Where the hits, and their ids and scores, stand.
    tell
        How a fault is told.

    Raises
    ------
    SystemFailedError
        When it is no JSON, has no list of hits, or a hit lacks an id or a score.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise tell.fault(
            f"with no JSON: {one_line(body)}" if body.strip() else "with an empty body"
        ) from None
    hits = _found(paths.hits, "hits", answer, tell)
    if not isinstance(hits, list):
        what = "nothing" if hits is None else f"{tell.named(hits)}, no list"
        raise tell.fault(
            f"hits {paths.hits.expression!r} gives {what}; the answer is {tell.outlined(answer)}"
        )
    ids = [_id(paths.id, hit, number, tell) for number, hit in enumerate(hits, start=1)]
    if paths.score is None:
        return ids
    scores = [_score(paths.score, hit, number, tell) for number, hit in enumerate(hits, start=1)]
    return list(zip(ids, scores, strict=True))


def one_line(body: bytes) -> str:
    """Return the beginning of a body as text for a message."""
    return " ".join(body[:_EXCERPT].decode("utf-8", "replace").split())


def _compiled(key: str, path: str) -> ParsedResult:
    import jmespath

    try:
        return jmespath.compile(path)
    except jmespath.exceptions.JMESPathError as error:
        raise InputError(
            f"{key} {clipped(path)!r} is no JMESPath: {clipped(str(error).partition(chr(10))[0])}; "
            "a name with other signs than letters, digits and _ stands in double quotes"
        ) from None


def _found(path: ParsedResult, what: str, node: Any, tell: Telling) -> Any:
    from jmespath.exceptions import JMESPathError

    try:
        return path.search(node)
    except JMESPathError as error:
        raise tell.fault(f"{what} {path.expression!r} can't be computed: {error}") from None


def _id(path: ParsedResult, hit: Any, number: int, tell: Telling) -> str:
    doc_id = _found(path, f"in hit {number}, id", hit, tell)
    if doc_id is None or doc_id == "":
        raise tell.fault(f"hit {number} has no id at {path.expression!r}; it is {tell.outlined(hit)}")
    if isinstance(doc_id, bool) or not isinstance(doc_id, str | int):
        raise tell.fault(f"the id of hit {number} is {tell.named(doc_id)}, neither text nor a whole number")
    return str(doc_id)


def _score(path: ParsedResult, hit: Any, number: int, tell: Telling) -> float:
    score = _found(path, f"in hit {number}, score", hit, tell)
    # Not math.isnan: it can't take a whole number beyond the doubles.
    if isinstance(score, bool) or not isinstance(score, int | float) or score != score:  # noqa: PLR0124
        raise tell.fault(
            f"the score of hit {number} is {tell.named(score)}, no number; "
            "leave score out where the order of the hits counts"
        )
    return score
