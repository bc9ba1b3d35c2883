"""Human labels: forms to fill in, blind, and what was filled in as verdicts of a verifier like any other."""
