"""The ledger: the SQL system of record, its tables and migrations, its engines and its encryption at rest."""
