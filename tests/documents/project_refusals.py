"""Projects as they can't be written: a title, and what is wrong."""

from collections.abc import Sequence

__all__ = ["PROJECTS"]

PROJECTS: Sequence[tuple[str, str]] = (
    ("no concurrency (C07)", "concurrency: 0"),
    ("less than none (C07)", "concurrency: -1"),
    ("a number in quotes (C07)", 'concurrency: "4"'),
    ("a fraction", "concurrency: 2.5"),
    ("a mail server by another word", "mail: {server: 'smtp://mail.example', from: a@example.com}"),
    ("a flag in place of a number", "concurrency: true"),
    ("an unknown key", "databse: sqlite:///x.db"),
    ("a limit that does not exist", "limits: {turn_max: 3}"),
    ("a limit of a later version", "limits: {daily_units: 250}"),
    ("a limit below its bound", "limits: {reply_seconds: 0}"),
    ("a time zone that does not exist", "time_zone: Europe/Berln"),
    ("a model that is a list", "models: {judge: [a, b]}"),
    ("an unknown key of a model", "models: {judge: {name: a, temprature: 0}}"),
    ("no mail server", "mail: {smtp: 'mail.lakeside.example', from: desk@lakeside.example}"),
    ("mail from nobody", "mail: {smtp: 'smtp://mail.lakeside.example', from: Desk}"),
    (
        "a password to another machine in the clear",
        "mail: {smtp: 'smtp://me:${PW}@mail.example', from: desk@lakeside.example, starttls: never}",
    ),
    ("mail without a sender", "mail: {smtp: 'smtp://h', starttls: maybe}"),
)
