"""The agent `llm`: one call of a model, made by a program of ours in a place of its own."""
