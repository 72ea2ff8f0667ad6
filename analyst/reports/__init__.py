"""Answers: which findings come first, and the words around them."""
