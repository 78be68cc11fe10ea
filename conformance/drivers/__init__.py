"""How an implementation is reached."""
