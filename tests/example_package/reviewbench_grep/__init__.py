"""A reviewer that knows one trick: it reports every line that holds a word."""
