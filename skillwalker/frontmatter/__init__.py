"""The bytes of a frontmatter: what Claude Code reads of them, what a replacement writes."""
