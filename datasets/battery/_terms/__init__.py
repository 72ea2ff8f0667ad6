"""Parts of the step kind `terms`."""
