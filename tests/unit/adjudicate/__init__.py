"""Human labels."""
