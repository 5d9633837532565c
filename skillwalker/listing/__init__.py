"""What Claude Code shows the model of a skill or agent, and what it leaves out."""
