"""Parts of the step kind `outliers`."""
