"""GitHub: its REST API and what lies in a repository there."""
