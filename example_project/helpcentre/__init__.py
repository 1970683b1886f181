"""The search of the Lanternbox help centre: the system that this example guards."""

from helpcentre.search import HistoryIndex, Index

__all__ = ["HistoryIndex", "Index"]
