import builtins
from collections.abc import Mapping, Sequence
from datetime import date as Date
from decimal import Decimal
from os import PathLike
from typing import Any, Literal, Protocol, Union, final, type_check_only

from typing_extensions import TypeAlias

__all__ = [
    "Chain",
    "Impact",
    "Plan",
    "Rules",
    "Schema",
    "Table",
    "__version__",
    "command",
    "impact",
    "load",
    "restored_chain",
    "restored_plan",
    "restored_rules",
]

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
_Parameters: TypeAlias = Union[_Parameter, builtins.list[Union[_Parameter, None]], tuple[Union[_Parameter, None], ...]]
_AnyTable: TypeAlias = Union[ArrowStream, ArrowArray]

def load(
    place: str | PathLike[str] | bytes | None = None,
    /,
    *,
    archive: str | PathLike[str] | None = None,
    version: str | None = None,
    known_on: Date | str | None = None,
    drafts: bool = False,
    lang: Literal["fr", "en"] = "fr",
) -> Rules:
    """Reads the rules of a folder, or of the bytes that `Rules.to_bytes` gave, checks them and runs their worked cases.

    Without a place they are those of the package, whose cases ran when it was tested. With `archive` they are a rule set that
    a service has kept, of a folder that `bareme-server rules export` writes, read as it was: the last that has the law
    `version` of an earlier answer, by which alone they then calculate, or the one in service at the end of the day `known_on`
    (UTC). With `drafts`, drafts are scales like the others. `lang` is the language of errors. Raises `RulesError`, whose text
    is the report of all mistakes, or says why the archive does not have the law.
    """

def impact(
    table: _AnyTable,
    /,
    before: Plan,
    after: Plan | Mapping[str, Plan],
    *,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    unit: str | None = None,
    field: str | None = None,
    gain: Literal["more", "less"] | None = None,
    poverty: str | None = None,
    rows: bool = False,
    income: str | None = None,
    replicates: str | None = None,
    replicate_scale: Decimal | int | None = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    totals_in: Literal["ones", "millions", "billions"] | None = None,
) -> Impact:
    """The effect of a reform on a population, as `bareme impact` computes it.

    `before` and `after` say what computes: rules, an endpoint of one folder, a day; several reforms are a dictionary of plans
    by name. `weight` is the column of the weights, `by` columns whose values are groups or `decile:column`, `unit` the column
    of consumption units. `field` is what is measured (that of the plan, or of the folder), `gain` which way it is read,
    `poverty` a line such as `60%` of the median. With `rows`, the effect on each row is kept. `income` is the column that gains
    are a share of. Standard errors are computed by the columns of weights whose names begin with `replicates` (the sum of
    squares times `replicate_scale`, one over their number by default), or by `bootstrap` draws of the rows from a `seed`.
    `totals_in` is the unit of the totals in the report. Raises `PlanError`.
    """

@final
class Rules:
    """A set of rules: what `load` returns. Rules of the same files are equal."""

    @property
    def version(self) -> str:
        """The version of the rules, as the service says it."""
    @property
    def hash(self) -> str:
        """The hash of every file of the rules, which their bytes are checked against."""
    @property
    def figures(self) -> dict[str, str]:
        """The figures that `with_figures` set, each with its value."""
    @property
    def drafts(self) -> bool:
        """Whether drafts are scales like the others."""
    @property
    def law(self) -> str | None:
        """The version of the law by which they calculate, another being refused; `None` where `load` was given none."""
    @property
    def lang(self) -> str:
        """The language of errors: `fr` or `en`."""
    def with_figures(
        self,
        figures: Mapping[str, _Parameter],
        /,
        *,
        since: Date | str | None = None,
        until: Date | str | None = None,
    ) -> Rules:
        """The same rules with other values of some figures: `{"ir.bareme[2].rate": "12%"}`.

        The scale in force on the day `since` (today by default) is changed, whole, and every later one that starts until
        `until`. They are checked like rule files, but for their worked cases. Raises `RulesError`.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str:
        """The calculations that there are, as a notebook shows them."""
    def to_bytes(self) -> bytes:
        """The rules as bytes, for `load` in another process."""
    def list(self) -> list[str]:
        """The names that `calculate` and `plan` take: those of the endpoints, then those of the folders."""
    def inputs(self, name: str, /) -> builtins.list[dict[str, Any]]:
        """The parameters of an endpoint or of a folder, beside `date` and `annee`: `nom`, `libelle`, `accepte`, `obligatoire`, `defaut`."""
    def calculate(self, name: str, /, **parameters: _Parameters) -> dict[str, Any]:
        """Calculates one case: the fields of the answer, in its order, its numbers as decimals.

        Raises `RefusedError` with every bad parameter; `TypeError` for a float, which holds no exact amount.
        """
    def explain(self, name: str, /, **parameters: _Parameters) -> builtins.list[dict[str, Any]]:
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
        remarks: bool = True,
    ) -> Plan:
        """A plan: some fields of an endpoint or of a folder, to be computed for whole tables.

        `fields` are all fields of one value by default. `date` is the day of rows without a column `date` or `annee`; today by
        default. The columns of `keep` are copied to the answers, before the fields. `map` says which columns are parameters of
        another name. `float_decimals` accepts columns of floats, each rounded half up to so many decimals.
        Without `remarks` there is no column `reserves`, and scales that calculate others are computed column by column.

        Raises `PlanError`.
        """

@final
class Plan:
    """Fields of an endpoint or of a folder, to be computed for whole tables: what `Rules.plan` returns.

    It can be pickled: the rules travel with it, and a process compiles them once.
    """

    def __call__(self, table: _AnyTable, /) -> Any:
        """Computes a table on every processor: a row for each of its rows, in order.

        A row that a calculation would refuse has no values and says why. The answers are of the library that the table is of:
        PyArrow, Polars, pandas (with its index); else a `Table`. Raises `PlanError`.
        """
    def map_batches(self, batches: Any, /) -> Any:
        """Computes the batches of an engine that has a task for each processor: each on the thread that asks for it, with texts
        where `plan(table)` gives dictionaries.

        Takes an iterator of batches, as `mapInArrow` of Spark gives, or one table, as `map_batches` of Ray does.
        """
    def after(
        self,
        source: Plan | Chain,
        /,
        *,
        give: Mapping[str, str | Sequence[str]],
        each: str | None = None,
        months: int | None = None,
    ) -> Chain:
        """A chain: this plan, with some of its parameters computed before by another plan or chain, over one table.

        `give` names fields of `source`, each with the parameter of this plan that it gives. With `each`, a column of lists of
        structs, its rows are their elements: a list of names has the parameter of each element, and a single parameter that
        has a value for each item of a group takes those of all elements. `months` is for how many months an amount per month
        is paid, where its parameter is per year. Raises `PlanError` with everything that does not fit.
        """
    def check(self, schema: Any, /) -> None:
        """Checks the columns of tables before any is computed, as on the driver of a cluster.

        `schema` is a `pyarrow.Schema`, or any other schema of Arrow. Raises `PlanError`.
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
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Chain:
    """A plan, with the plans that compute some of its parameters first: what `Plan.after` returns. It can be pickled."""

    def __call__(self, table: _AnyTable, /) -> Any:
        """Computes a table on every processor: a row for each of its rows, in order, with a column for the answers of each plan
        that is computed before. Raises `PlanError`.
        """
    def map_batches(self, batches: Any, /) -> Any:
        """Computes the batches of an engine that has a task for each processor, as `Plan.map_batches` does."""
    def after(
        self,
        source: Plan | Chain,
        /,
        *,
        give: Mapping[str, str | Sequence[str]],
        each: str | None = None,
        months: int | None = None,
    ) -> Chain:
        """The same, with other parameters computed before, as `Plan.after` says."""
    def check(self, schema: Any, /) -> None:
        """Checks the columns of tables before any is computed, as `Plan.check` does."""
    @property
    def output_schema(self) -> Any:
        """The columns of the answers, after those that are kept."""
    @property
    def spark_schema(self) -> str:
        """The columns of the answers as Spark declares them, after those that are kept."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Impact:
    """The effect of one or several reforms: what `impact` returns.

    Its tables have a first column `reform`, and the numbers of `bareme impact --format json`, to the last digit. They are of
    the library of the population.
    """

    @property
    def totals(self) -> Any:
        """The totals, means, rates and inequality: a row for each reform."""
    @property
    def parts(self) -> Any:
        """The winners, the losers and the others: number, weight, share, total, mean and median."""
    @property
    def groups(self) -> Any:
        """The groups of `by`, deciles among them."""
    @property
    def distribution(self) -> Any:
        """The number of rows by the size of the gain."""
    @property
    def figures(self) -> Any:
        """The figures that change, each with the text that sets it, or as one of the hypothesis."""
    @property
    def rows(self) -> Any:
        """The effect on each row, with its marginal rates and the gain as a share of its income; None without `rows=True`."""
    @property
    def json(self) -> list[str]:
        """The JSON of `bareme impact` for each reform, in order."""
    def _repr_html_(self) -> str:
        """The report, as a notebook shows it."""

@final
class Table:
    """A table of answers, for any library that reads the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table as a stream of batches."""
    def __arrow_c_schema__(self) -> Any:
        """The columns of the table."""
    def __len__(self) -> int:
        """The number of rows."""
    def _repr_html_(self) -> str:
        """The first rows, as a notebook shows them."""

@final
class Schema:
    """The columns of a table, for any library that reads the Arrow PyCapsule interface."""

    def __arrow_c_schema__(self) -> Any:
        """The columns."""
    @property
    def names(self) -> list[str]:
        """The names of the columns."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_html_(self) -> str:
        """The columns with their types, as a notebook shows them."""

def command(words: Sequence[str]) -> int:
    """Runs a command line, the first word being the name of the program, and returns its exit code."""

def restored_rules(version: str, bytes: bytes, hash: str, lang: str = "fr") -> Rules:
    """The rules of a pickle."""

def restored_chain(
    before: Plan | Chain,
    source: Plan | Chain,
    each: str | None,
    give: Sequence[tuple[str, Sequence[str]]],
    months: int | None,
) -> Chain:
    """The chain of a plan, or of a chain, after another."""

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
    lang: str = "fr",
    remarks: bool = True,
) -> Plan:
    """The plan of a pickle."""
