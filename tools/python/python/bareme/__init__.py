"""Calculations of French and francophone tax and payroll, in exact decimals.

``load`` reads a folder of rules; ``Rules.calculate`` answers one case, ``Rules.plan`` computes whole tables.
"""

from bareme._bareme import Plan, Rules, Schema, Table, __version__, load
from bareme.errors import Error, InternalError, PlanError, RefusedError, RulesError

__all__ = [
    "Error",
    "InternalError",
    "Plan",
    "PlanError",
    "RefusedError",
    "Rules",
    "RulesError",
    "Schema",
    "Table",
    "__version__",
    "load",
]
