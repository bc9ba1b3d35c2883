"""Other benchmarks, and other people's results, as a corpus and as finished runs."""
