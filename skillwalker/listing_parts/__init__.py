"""What a line of the listing is made of: names, shown text, room, findings."""
