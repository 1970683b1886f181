"""A session as Markdown, for pull requests."""
