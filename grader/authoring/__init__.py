"""Authoring: what an author of a course writes, generates and validates."""
