"""How a step is run: kinds, parameters, labels, verdicts, and the border to what is kept."""
