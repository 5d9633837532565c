"""What a frontmatter is made of: text with byte places, YAML nodes, entries, scalars."""
