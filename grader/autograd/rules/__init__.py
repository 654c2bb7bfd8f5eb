"""Rules: the local derivatives of the student's operations, read back from what the engine computes."""
