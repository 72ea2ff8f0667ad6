"""Recall: what is read for a question, in which order, within which budget."""
