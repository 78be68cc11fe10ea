"""The same work by different libraries, each in a process of its own."""
