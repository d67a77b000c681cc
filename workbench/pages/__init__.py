"""What each template is given: one frozen dataclass a page, built from queries."""
