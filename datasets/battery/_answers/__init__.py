"""Parts of the step kind `answer`."""
