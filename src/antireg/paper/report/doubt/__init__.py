"""What was wanted of doubt, what was measured, and the tables that show both."""
