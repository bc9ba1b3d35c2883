"""The review skill that ships: a folder with SKILL.md and what it refers to."""
