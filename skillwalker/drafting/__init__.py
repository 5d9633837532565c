"""Cases proposed by Claude: asked for, checked one by one, written only when they hold."""
