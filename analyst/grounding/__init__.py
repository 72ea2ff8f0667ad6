"""Grounding: a sentence says nothing that the findings it cites do not carry."""
