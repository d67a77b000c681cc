"""What forgetting would reach: read by the dry run, and again, under locks, by the erasure."""
