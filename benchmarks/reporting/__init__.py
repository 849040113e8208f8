"""Results as text, sentences and a picture."""
