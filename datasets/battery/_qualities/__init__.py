"""Parts of the step kind `quality_facts`."""
