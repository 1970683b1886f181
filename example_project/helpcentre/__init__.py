"""The search of the Lanternbox help centre: the system that this example guards."""

from helpcentre.articles import ARTICLES
from helpcentre.search import HistoryIndex, Index

__all__ = ["ARTICLES", "HistoryIndex", "Index"]
