"""What goes wrong, each kind with a stable code."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """What every error of the package is. Its text is for people, its ``code`` for programs."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])


class RulesError(Error):
    """Rules that cannot be used. Its text is the report of their mistakes, as ``bareme check`` prints it.

    Codes: ``regles`` (files with mistakes), ``paquet`` (bytes that are no bundle of rules), ``empreinte`` (bytes of other
    rules than those that a plan was made of), ``version`` (a pickle of another version of the package), ``archive`` (a
    folder without rule sets, or one that cannot be read), ``version_inconnue`` (a law that the archive does not have); of
    ``with_figures`` also ``bareme_inconnu``, ``chiffre_inconnu``, ``chiffre_repris`` (another folder gives the figure),
    ``sans_bareme`` (no scale on the day) and ``format`` (no value).
    """

    def __init__(self, message: str, code: str, mistakes: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message, code)
        self.args = (message, code, mistakes or [])
        #: Every mistake of the files: its ``code``, the ``fichier`` with ``ligne`` and ``colonne``, the ``message`` and the
        #: cure (``remede``).
        self.mistakes = mistakes or []


class PlanError(Error):
    """A name that does not exist, or a table that a plan cannot compute.

    Codes: ``bareme_inconnu``, ``champ_inconnu``, ``colonne_inconnue``, ``colonne_repetee``, ``colonne_absente``,
    ``colonne_flottante``, ``colonne_gardee``, ``type_de_colonne``, ``longueur``, ``table_illisible``, ``fichier``; ``effet`` (an
    impact that cannot be computed).
    """


class RefusedError(Error):
    """A calculation that is refused because of its parameters. Its ``code`` is that of the first one."""

    def __init__(self, message: str, code: str, parameters: list[dict[str, Any]]) -> None:
        super().__init__(message, code)
        self.args = (message, code, parameters)
        #: Every bad parameter: its ``nom``, its ``code``, the ``message``, what was received (``recu``) and what is accepted
        #: (``accepte``).
        self.parameters = parameters


class InternalError(Error):
    """A fault of the engine: please report it. Its code is ``erreur_interne``."""
