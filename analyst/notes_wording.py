"""The words of a note."""

from analyst.notes_rules import Rule
from analyst.protocol import Note
from datasets.schema import SchemaCard


def note_of(rule: Rule, card: SchemaCard | None) -> Note:
    """Word a rule as a note."""
    statement = rule.text + (f" (in answer to: {rule.context})" if rule.context else "")
    return Note(
        memory_type="user_preference" if rule.memory_type == "user_preference" else "domain_pattern",
        subject="other",
        value=rule.text,
        statement=statement,
        quote=rule.text,
        turn=rule.turn,
    )
