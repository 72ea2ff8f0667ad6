"""Reading time: the spans of time that a question speaks of."""
