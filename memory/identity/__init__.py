"""Identity: which statements are about the same thing, and whether they say the same of it."""
