"""Speed and memory, side by side with a baseline of the same run. Not tests: nothing here has a threshold."""
