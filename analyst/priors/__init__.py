"""What is remembered as a subject of its own: which prior finding is meant, and talk about memory."""
