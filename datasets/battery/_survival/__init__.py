"""Parts of the step kind that tells how long it takes until something happens, those still waiting counted."""
