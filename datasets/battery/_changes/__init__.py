"""Parts of the step kinds `change` and `drivers`."""
