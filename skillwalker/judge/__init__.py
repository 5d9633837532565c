"""Grades a trial by a rubric: what the judge is shown, asked, answers, and what that is worth."""
