"""Run folders: written once, read back, put side by side."""
