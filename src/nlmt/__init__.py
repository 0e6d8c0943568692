"""Machine-translation experiments with neural language models."""
