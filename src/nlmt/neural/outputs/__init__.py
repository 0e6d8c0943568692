"""Output layers: how the words of each are arranged."""
