"""What a run of the suite is told in: one module for each output."""
