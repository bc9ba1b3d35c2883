"""Text of a reviewer -> findings."""
