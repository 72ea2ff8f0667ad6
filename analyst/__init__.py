"""Judgement: reading questions, planning batteries, choosing prior findings, writing answers."""

from analyst.builtin import BuiltinAnalyst
from analyst.opening import analyst_for
from analyst.protocol import Analyst, Intent, Known, Plan, Turn

__all__ = ["Analyst", "BuiltinAnalyst", "Intent", "Known", "Plan", "Turn", "analyst_for"]
