"""Parts of the step kind `relation`."""
