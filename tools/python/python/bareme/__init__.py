"""Calculations of French and francophone tax and payroll, in exact decimals.

``load`` reads rules, those of the package or of a folder; ``Rules.calculate`` answers one case, ``Rules.plan`` computes
whole tables, ``Plan.after`` makes chains of plans over one table, ``Rules.with_figures`` makes a reform and ``impact`` costs it.
"""

from bareme._bareme import Chain, Impact, Plan, Rules, Schema, Table, __version__, impact, load
from bareme.errors import Error, InternalError, PlanError, RefusedError, RulesError

__all__ = [
    "Chain",
    "Error",
    "Impact",
    "InternalError",
    "Plan",
    "PlanError",
    "RefusedError",
    "Rules",
    "RulesError",
    "Schema",
    "Table",
    "__version__",
    "impact",
    "load",
]
