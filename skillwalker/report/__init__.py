"""What a run looks like to people and to CI."""
