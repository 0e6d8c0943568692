"""Speed and memory of each engine, beside the figures of the existing tools."""
