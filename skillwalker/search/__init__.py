"""Which work comes next: pure functions over the recorded history."""
