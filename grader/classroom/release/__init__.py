"""Release: the template repository of an assignment."""
