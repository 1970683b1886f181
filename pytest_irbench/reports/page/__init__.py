"""The parts of the HTML page: what Python writes of it, its style and its script."""
