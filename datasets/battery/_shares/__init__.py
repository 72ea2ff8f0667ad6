"""Parts of the step kinds `share` and `drill`."""
