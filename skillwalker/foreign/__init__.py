"""Other tools' trigger evals read as a suite: a reader for each shape, strict in all of them."""
