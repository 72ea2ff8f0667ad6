"""Notes: what a user said that should hold later, read from a transcript without a model."""
