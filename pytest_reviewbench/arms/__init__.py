"""Ways to answer: one small file per family."""
