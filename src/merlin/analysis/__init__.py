"""Analysis of results folders. It reads folders only, needs no torch, and runs beside training."""

from merlin.analysis.summary import AnalysisSummary, analyze

__all__ = ["AnalysisSummary", "analyze"]
