"""Sample datasets that ship with the product; see README.md in this folder."""
