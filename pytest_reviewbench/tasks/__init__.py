"""What is asked, and how an answer is graded: one file per kind."""
