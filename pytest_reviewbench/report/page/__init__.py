"""`report.html`: the whole report and every review behind it, in one file that needs nothing else."""
