"""Statistics: thin wrappers that give test, effect and interval from summaries."""
