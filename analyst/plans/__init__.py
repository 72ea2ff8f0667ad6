"""Planning: from what is understood to the steps of a battery."""
