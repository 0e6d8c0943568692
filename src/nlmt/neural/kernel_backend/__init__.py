"""Training in the compiled kernel."""
