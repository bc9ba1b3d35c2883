"""Growing a corpus: what makes it worth trusting, and what adds to it."""
