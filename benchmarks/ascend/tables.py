"""Tables of the pages in Markdown."""

SPREAD_COLUMNS = ("rows", "count", "median", "90th percentile", "worst")


def spread_cells(spread):
    """The cells of a spread of errors, in the columns ``SPREAD_COLUMNS[1:]``."""
    return str(spread.count), f"{spread.median:.1%}", f"{spread.percentile_90:.1%}", f"{spread.worst:.1%}"


def kernel_text(row):
    """The kernel of a row: operator, shape and dtype."""
    return " ".join(row.row[column] for column in ("op", "shape", "dtype"))


def markdown_table(columns, rows):
    """A table in Markdown."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def number_text(value):
    """A number with three significant digits; from 1,000, the rounded integer with thousands separators."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
