"""How well it did."""
