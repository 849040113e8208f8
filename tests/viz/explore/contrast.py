"""The contrast ratio of WCAG for colours as browsers format them."""


def contrast(foreground, background):
    """The contrast ratio of two colours ``rgb(r, g, b)``."""
    high, low = sorted((luminance(foreground), luminance(background)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(color):
    parts = [int(part) / 255 for part in color[4:-1].split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
