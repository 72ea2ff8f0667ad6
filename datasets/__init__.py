"""Datasets: the catalogue, the schema card, and the guarded analysis view that every step reads."""

from datasets.catalogue import Catalogue
from datasets.dataset import Dataset
from datasets.directives import Directive
from datasets.errors import DatasetError
from datasets.loading import Overrides
from datasets.schema import SchemaCard
from datasets.snapshot import Snapshot
from datasets.view import AnalysisView

__all__ = ["AnalysisView", "Catalogue", "Dataset", "DatasetError", "Directive", "Overrides", "SchemaCard", "Snapshot"]
