"""The configuration keys of neural models, each defined once."""
