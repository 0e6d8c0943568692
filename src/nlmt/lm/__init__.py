"""Language models of every kind: what they answer, interpolation, perplexity, loading."""
