"""Output layers: the arrangement of their words."""
