"""The keys of the configuration, each defined once."""
