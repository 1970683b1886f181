"""Say so: verdicts into text."""
