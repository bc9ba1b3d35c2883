"""One AI session: a prompt in, a final answer and its evidence out; one file per agent behind one protocol."""
