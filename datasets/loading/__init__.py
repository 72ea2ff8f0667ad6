"""From files as they come to the parsed copy: one typed DuckDB table with every row in file order."""

from datasets.loading.layout import ROW
from datasets.loading.overrides import Overrides
from datasets.loading.parsing import PARSER_VERSION, TABLE, Parsed, parse
from datasets.loading.source import content_hash

__all__ = ["PARSER_VERSION", "ROW", "TABLE", "Overrides", "Parsed", "content_hash", "parse"]
