"""How good a verifier is, measured on claims whose verdict is known from the corpus."""
