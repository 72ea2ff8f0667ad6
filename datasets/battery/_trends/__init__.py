"""Parts of the step kind `trend`."""
