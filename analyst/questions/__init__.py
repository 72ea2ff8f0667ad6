"""Understanding questions: from a message to the asks it makes, each clause by what it asks for."""
