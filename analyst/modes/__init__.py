"""Mode inference: fresh, extend, revalidate or re-run, how sure that is, and why."""
