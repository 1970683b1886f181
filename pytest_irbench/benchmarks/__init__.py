"""What is judged."""
