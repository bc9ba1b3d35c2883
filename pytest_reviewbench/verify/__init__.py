"""Findings -> verdicts: what a judge is asked, how its answer is read, and the stage that asks."""
