"""File formats: bytes in, columns out."""
