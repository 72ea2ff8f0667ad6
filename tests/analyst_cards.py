"""Schema cards of made-up tables for the tests of question understanding."""

from datasets.schema import Column, Role, SchemaCard


def column(
    name: str, role: Role, sql_type: str = "VARCHAR", *, distinct: int = 5, rows: int = 500, nulls: int = 0,
    values: tuple[str, ...] = (), minimum: str | None = None, maximum: str | None = None,
) -> Column:  # fmt: skip
    """A column with the counts that matter for reading a question."""
    return Column(
        name=name,
        role=role,
        sql_type=sql_type,
        rows=rows,
        nulls=nulls,
        distinct=distinct,
        values=values,
        minimum=minimum,
        maximum=maximum,
    )


def measure(name: str, sql_type: str = "DOUBLE", *, distinct: int = 300) -> Column:
    """A numeric column."""
    return column(name, "measure", sql_type, distinct=distinct, values=("1.5", "2.5"))


def time(name: str, minimum: str = "2023-01-02", maximum: str = "2025-09-09") -> Column:
    """A date column."""
    return column(name, "time", "DATE", distinct=400, minimum=minimum, maximum=maximum)


SHOP = SchemaCard(
    dataset="shop",
    rows=500,
    time_column="ordered_on",
    columns=(
        column("order_id", "dimension", distinct=200),
        time("ordered_on"),
        column("region", "dimension", values=("North", "South", "East"), distinct=3),
        column("Product Line", "dimension", values=("Lamps", "Chairs", "Desks"), distinct=3),
        measure("qty", "BIGINT", distinct=40),
        measure("order_total"),
        column("status", "dimension", "BIGINT", values=("1", "2", "9"), distinct=3),
    ),
)

PEOPLE = SchemaCard(
    dataset="people",
    rows=500,
    columns=(
        column("person_id", "identifier", "BIGINT", distinct=500),
        column("full_name", "text", distinct=500),
        measure("Age", "BIGINT"),
        measure("Body Mass Index (BMI)"),
        measure("annual_income_usd"),
        column("Sex", "dimension", values=("male", "female"), distinct=2),
        column("smoker", "dimension", values=("no", "yes"), distinct=2),
        column("Survived", "boolean", "BIGINT", values=("0", "1"), distinct=2),
        column("tclass", "dimension", "BIGINT", values=("3", "1", "2"), distinct=3),
        column("Notes: other", "text", distinct=400, nulls=90),
        measure("kids", "BIGINT", distinct=7),
        measure("parents", "BIGINT", distinct=5),
    ),
)

WORLD = SchemaCard(
    dataset="world",
    rows=500,
    columns=(
        column("Nation", "dimension", distinct=100, values=("Peru", "Chad", "India", "Laos")),
        column("year", "dimension", "BIGINT", distinct=12, values=("2000", "2001", "2002")),
        column("WHO Area", "dimension", distinct=6, values=("Americas", "Africa", "Europe")),
        measure("gdppercap"),
        measure("lifeexp"),
        column("No. of cases", "dimension", distinct=480, values=("630308[495000-801000]", "12[1-20]", "0")),
        measure("No. of cases_max", "BIGINT"),
        measure("pct_dem"),
        measure("votes_dem", "BIGINT"),
        measure("votes_gop", "BIGINT"),
    ),
)

TICKETS = SchemaCard(
    dataset="tickets",
    rows=500,
    time_column="opened_at",
    columns=(
        column("number", "identifier", distinct=500),
        column("category", "dimension", values=("Hardware", "Network", "Software"), distinct=3),
        column("assignment_group", "dimension", values=("Hardware", "Network", "Desk"), distinct=3),
        column("assigned_to", "dimension", values=("Ada Low", "Bo Reed", "Cy Young"), distinct=3),
        column("state", "dimension", values=("Closed", "Open", "Declined"), distinct=3),
        column("opened_at", "time", "TIMESTAMP", minimum="2023-01-01 08:00:00", maximum="2024-01-31 10:00:00"),
        column("closed_at", "time", "TIMESTAMP", minimum="2023-01-02 08:00:00", maximum="2024-03-01 10:00:00"),
        column("sys_updated_on", "time", "TIMESTAMP", minimum="2023-01-02 08:00:00", maximum="2024-03-01 10:00:00"),
        measure("percent_complete"),
        measure("target_percentage"),
    ),
)

ORDERS = SchemaCard(
    dataset="orders",
    rows=500,
    time_column="order_date",
    columns=(
        column("order_id", "identifier", "BIGINT", distinct=500),
        time("order_date"),
        column("region", "dimension", values=("North", "South", "East", "West"), distinct=4),
        column("product", "dimension", values=("Desk", "Lamp", "Chair"), distinct=3),
        column("status", "dimension", "BIGINT", values=("1", "2", "9"), distinct=3),
        measure("revenue"),
        measure("quantity", "BIGINT", distinct=40),
        measure("discount"),
        measure("unit_price"),
    ),
)
