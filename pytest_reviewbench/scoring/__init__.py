"""Pure numbers: what stored outcomes mean. No I/O, no pytest."""
