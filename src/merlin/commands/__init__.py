"""What the commands print, and how their arguments are read."""
