"""The model analyst: a model proposes in every phase, the code disposes."""
