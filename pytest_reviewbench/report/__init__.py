"""Runs -> one Report -> terminal, Markdown, JSON, JUnit. Rendering only; the numbers come from `scoring`."""
