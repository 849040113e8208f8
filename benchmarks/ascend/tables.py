"""Tables of the pages in Markdown."""

SPREAD_COLUMNS = ("rows", "count", "median", "90th percentile", "worst")


def spread_cells(errors):
    """The cells of a spread, as ``SPREAD_COLUMNS`` name them."""
    return str(errors.count), f"{errors.median:.1%}", f"{errors.percentile_90:.1%}", f"{errors.worst:.1%}"


def kernel_text(row):
    """The kernel of a row: operator, shape and dtype."""
    return " ".join(row.row[column] for column in ("op", "shape", "dtype"))


def table(columns, rows):
    """A table in Markdown."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def number(value):
    """A number with three digits, or whole ones from 1,000."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
