"""Is it good enough."""
