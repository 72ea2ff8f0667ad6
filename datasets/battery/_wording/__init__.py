"""How results are worded: numbers, segments, lists, scopes and series."""
