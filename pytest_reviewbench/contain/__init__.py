"""How this project runs programs that are not its own."""
