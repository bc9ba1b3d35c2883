"""What this machine has for reviews: looked at, tried, and said; nothing is spent and nothing is installed."""
