"""What a system returned."""
