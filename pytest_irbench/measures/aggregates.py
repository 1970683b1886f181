"""How the values of the queries become one number: the statistic that a measure's signature names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Statistic: TypeAlias = Literal["mean", "sum", "median", "95th percentile", "highest"]
"""As it is called in messages."""

_PERCENTILES = {"median": 50, "95th percentile": 95, "highest": 100}


def aggregate(statistic: Statistic, values: Sequence[float]) -> float:
    """Return a statistic of at least one value.

    Percentiles that fall between two values are interpolated linearly, as numpy does by default.
    """
    if statistic in _PERCENTILES:
        import numpy as np

        return float(np.percentile(values, _PERCENTILES[statistic]))
    # fsum is exact: the mean can't hang on the order of the queries.
    total = math.fsum(values)
    return total if statistic == "sum" else total / len(values)
