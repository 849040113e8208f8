"""Results as text, sentences and a chart."""
