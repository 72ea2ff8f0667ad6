"""Reading words: what the words of a question name among the columns and values of a dataset."""
