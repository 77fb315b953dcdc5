"""What people say and what the law says."""
