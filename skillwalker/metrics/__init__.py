"""What a command measures beside the trials: read, repeated, declared, calibrated, tracked."""
