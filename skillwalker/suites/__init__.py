"""The suites of a project: tests.json and the files it names, read and checked."""
