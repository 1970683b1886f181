"""What the terminal shows at the end of a session."""
