"""Prompts: one file a phase with its text and its reply model, and `ask`, the only place that touches a model."""

from prompts.asking import ask
from prompts.client import open_model
from prompts.framing import Block, Prompt
from prompts.meter import Meter
from prompts.settings import ModelSettings
from prompts.trouble import ModelTrouble, Rejected

__all__ = ["Block", "Meter", "ModelSettings", "ModelTrouble", "Prompt", "Rejected", "ask", "open_model"]
