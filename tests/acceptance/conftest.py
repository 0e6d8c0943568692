"""Acceptance tests: they take long, and some start daemons as root."""
