"""A folder of cases -> `Case` objects."""
