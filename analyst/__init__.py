"""Judgement: reading questions, planning batteries, choosing prior findings, writing answers."""

from analyst.protocol import Analyst, Intent, Known, Plan, Turn

__all__ = ["Analyst", "Intent", "Known", "Plan", "Turn"]
