"""Parts of the step kind `compare`."""
