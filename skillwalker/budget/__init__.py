"""What limits are made of: a clock, moments and spans as users write them, money, pauses."""
