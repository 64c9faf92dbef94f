"""Tables and one repository a subject; SQLite and PostgreSQL. SQLAlchemy is imported nowhere else."""
