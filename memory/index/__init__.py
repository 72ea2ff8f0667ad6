"""The search index derived from the ledger: one protocol, several engines, and what feeds them."""
