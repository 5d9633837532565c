"""The simulated Claude: it goes by words, and stands in where no model may be asked."""
