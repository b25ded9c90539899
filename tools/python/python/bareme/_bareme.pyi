import builtins
from collections.abc import Mapping, Sequence
from datetime import date as Date
from decimal import Decimal
from os import PathLike
from typing import Any, Protocol, Union, final, type_check_only

from typing_extensions import TypeAlias

__all__ = ["Plan", "Rules", "Schema", "Table", "__version__", "command", "load", "restored_plan", "restored_rules"]

__version__: str

@type_check_only
class ArrowStream(Protocol):
    """A table that gives itself as a stream: of PyArrow, Polars, DuckDB, DataFusion, pandas."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@type_check_only
class ArrowArray(Protocol):
    """A batch that gives itself as an array: of PyArrow."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

_Parameter: TypeAlias = Union[str, int, bool, Decimal, Date]
_AnyTable: TypeAlias = Union[ArrowStream, ArrowArray]

def load(place: str | PathLike[str] | bytes, /) -> Rules:
    """Reads the rules of a folder, or of the bytes that `Rules.to_bytes` gave, checks them and runs their worked cases.

    Raises `RulesError`, whose text is the report of all mistakes.
    """

@final
class Rules:
    """A set of rules: what `load` returns."""

    @property
    def version(self) -> str:
        """The version of the rules, as the service says it."""
    @property
    def hash(self) -> str:
        """The hash of every file of the rules, which their bytes are checked against."""
    def to_bytes(self) -> bytes:
        """The rules as bytes, for `load` in another process."""
    def list(self) -> list[str]:
        """The names that `calculate` and `plan` take: those of the endpoints, then those of the folders."""
    def inputs(self, name: str, /) -> builtins.list[dict[str, Any]]:
        """The parameters of an endpoint or of a folder, beside `date` and `annee`: `nom`, `libelle`, `accepte`, `obligatoire`, `defaut`."""
    def calculate(self, name: str, /, **parameters: _Parameter) -> dict[str, Any]:
        """Calculates one case: the fields of the answer, in its order, its numbers as decimals.

        Raises `RefusedError` with every bad parameter; `TypeError` for a float, which holds no exact amount.
        """
    def explain(self, name: str, /, **parameters: _Parameter) -> builtins.list[dict[str, Any]]:
        """The steps of the calculation of one case, as `detail=true` of the service shows them."""
    def plan(
        self,
        name: str,
        /,
        *,
        fields: Sequence[str] | None = None,
        date: Date | str | None = None,
        keep: Sequence[str] | None = None,
        map: Mapping[str, str] | None = None,
        float_decimals: int | None = None,
    ) -> Plan:
        """A plan: some fields of an endpoint or of a folder, to be computed for whole tables.

        `fields` are all fields of one value by default. `date` is the day of rows without a column `date` or `annee`; today by
        default. The columns of `keep` are copied to the answers, before the fields. `map` says which columns are parameters of
        another name. `float_decimals` accepts columns of floats, each rounded half up to so many decimals.

        Raises `PlanError`.
        """

@final
class Plan:
    """Fields of an endpoint or of a folder, to be computed for whole tables: what `Rules.plan` returns.

    It can be pickled: the rules travel with it, and a process compiles them once.
    """

    def __call__(self, table: _AnyTable, /) -> Any:
        """Computes a table on every processor: a row for each of its rows, in order.

        A row that a calculation would refuse has no values and says why. The answers are of the library that the table is of,
        for PyArrow and Polars; else a `Table`. Raises `PlanError`.
        """
    def map_batches(self, batches: Any, /) -> Any:
        """Computes the batches of an engine that has a task for each processor: each on the thread that asks for it, with texts
        where `plan(table)` gives dictionaries.

        Takes an iterator of batches, as `mapInArrow` of Spark gives, or one table, as `map_batches` of Ray does.
        """
    @property
    def input_schema(self) -> Any:
        """The columns that a table may have, each with the type that is read quickest; those that are not nullable are required.

        A schema of PyArrow where it is installed, else a `Schema`.
        """
    @property
    def output_schema(self) -> Any:
        """The columns of the answers, after those that are kept."""
    @property
    def spark_schema(self) -> str:
        """The columns of the answers as Spark declares them, after those that are kept."""
    @property
    def name(self) -> str:
        """The name of the endpoint or of the folder."""
    @property
    def date(self) -> str:
        """The day of rows that say none, `2026-03-31`."""
    @property
    def hash(self) -> str:
        """The hash of the rules."""

@final
class Table:
    """A table of answers, for any library that reads the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table as a stream of batches."""
    def __arrow_c_schema__(self) -> Any:
        """The columns of the table."""
    def __len__(self) -> int:
        """The number of rows."""

@final
class Schema:
    """The columns of a table, for any library that reads the Arrow PyCapsule interface."""

    def __arrow_c_schema__(self) -> Any:
        """The columns."""
    @property
    def names(self) -> list[str]:
        """The names of the columns."""

def command(words: Sequence[str]) -> int:
    """Runs a command line, the first word being the name of the program, and returns its exit code."""

def restored_rules(version: str, bytes: bytes, hash: str) -> Rules:
    """The rules of a pickle."""

def restored_plan(
    version: str,
    bytes: bytes,
    hash: str,
    name: str,
    fields: Sequence[str] | None,
    date: Date | str,
    keep: Sequence[str],
    map: Sequence[tuple[str, str]],
    float_decimals: int | None,
) -> Plan:
    """The plan of a pickle."""
