"""What becomes of units: written, confirmed, replaced, forgotten, kept so long, exported, accounted for."""
