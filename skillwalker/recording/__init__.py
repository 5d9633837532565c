"""What is put on the disk: a run, its trials, and the bytes of every file that was written."""
