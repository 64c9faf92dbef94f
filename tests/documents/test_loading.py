"""A project's files become documents, or one list of everything that is wrong."""

from pathlib import Path

import pytest
from tests import builders

from greenroom.documents.agent import Agent
from greenroom.documents.findings import Severity
from greenroom.documents.loading import DocumentKind, find_project, kind_of, load_document, load_project
from greenroom.documents.project import Limits
from greenroom.documents.suite import Say, Suite
from greenroom.errors import DocumentsInvalid, UsageError
from greenroom.store.encoding import decode, document_json

AGENT = "agent: desk\nmodel: script:a.yaml\n"
SUITE = "suite: booking\ncases:\n  one: {script: [Hi], expect: [judge: Fine.]}\n"


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for file, text in {"greenroom.yaml": "workspace: lakeside\n", **files}.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def refusal(root: Path) -> list[str]:
    with pytest.raises(DocumentsInvalid) as refused:
        load_project(root, environment={})
    return str(refused.value).splitlines()


def test_a_project_is_found_from_any_folder_in_it(tmp_path: Path) -> None:
    inner = write(tmp_path, {"suites/more/readme.txt": ""}) / "suites" / "more"

    assert find_project(inner) == tmp_path


def test_without_a_project_the_message_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no greenroom\.yaml in .* or above it; .*--project DIR.*greenroom init"):
        find_project(tmp_path)


def test_the_findings_of_all_files_come_at_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "greenroom.yaml": "workspace: lakeside\nconcurrency: 0\n",
            "agents/desk.yaml": "agent: desk\nmodle: script:x.yaml\n",
            "suites/booking.yaml": SUITE.replace("one", "One"),
        },
    )

    assert refusal(tmp_path) == [
        "agents/desk.yaml:1:1: `model` is missing",
        "agents/desk.yaml:2:1: unknown key 'modle'; did you mean 'model'?",
        "greenroom.yaml:2:14: the number 0 is out of bounds: at least 1",
        "suites/booking.yaml:3:3: the id 'One' is not lower-case words joined by hyphens; write 'one'",
    ]


def test_one_broken_suite_of_two_refuses_the_project(tmp_path: Path) -> None:
    """X07: a definition that fails to load is never skipped."""
    write(tmp_path, {"suites/a.yaml": SUITE, "suites/b.yml": "suite: [b\n"})

    assert refusal(tmp_path) == ["suites/b.yml:1:8: a `,` or the `]` of this list is missing"]


def test_an_empty_project_file_is_a_project_of_defaults(tmp_path: Path) -> None:
    loaded = load_project(write(tmp_path, {"greenroom.yaml": ""}), environment={})

    assert (loaded.project.workspace, loaded.project.concurrency) == ("default", 8)
    assert loaded.project.limits.turns_max == 40


def test_files_are_documents_by_their_folder(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "agents/desk.yaml": AGENT,
        "agents/rules/readme.yaml": "not: a document\n",
        "agents/.hidden.yaml": "not: a document\n",
        "suites/booking.YML": SUITE,
        "customers/gold.yaml": "customer: gold\nshopify: {orders: [{id: 1}]}\n",
    }
    loaded = load_project(write(tmp_path, files), environment={})

    assert (*loaded.agents, *loaded.suites, *loaded.customers) == ("desk", "booking", "gold")
    assert loaded.suite_files == {str(tmp_path / "suites" / "booking.YML"): "booking"}
    assert kind_of(tmp_path / "greenroom.yaml") is DocumentKind.PROJECT
    assert kind_of(tmp_path / "elsewhere.yaml") is None


def test_two_files_can_not_have_the_same_id(tmp_path: Path) -> None:
    write(tmp_path, {"agents/a.yaml": AGENT, "agents/b.yaml": f"# another\n{AGENT}"})

    assert refusal(tmp_path) == ["agents/b.yaml:2:8: the agent 'desk' is already in agents/a.yaml; ids are unique"]


def test_knowledge_is_read_from_files_beside_the_agent(tmp_path: Path) -> None:
    """W02: UTF-8 with a byte-order mark and CRLF, whatever the locale."""
    text = "agent: desk\nmodel: script:a.yaml\nknowledge:\n  hours: {title: Hours, file: ../knowledge/hours.md}\n"
    files: dict[str, str | bytes] = {
        "agents/desk.yaml": text,
        "knowledge/hours.md": b"\xef\xbb\xbf" + "“Nine” to five\r\nnot on Sundays".encode(),
    }
    loaded = load_project(write(tmp_path, files), environment={})

    assert loaded.agents["desk"].knowledge["hours"].text == "“Nine” to five\nnot on Sundays"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("../../secret.md", "'../../secret.md' lies outside the project; only files inside it are read"),
        ("/etc/passwd", "'/etc/passwd' is not a relative path with forward slashes"),
        ("file://./persona.txt", "'file://./persona.txt' is not a relative path with forward slashes"),
        ("hour.md", "there is no file 'hour.md' (paths are relative to agents/desk.yaml); did you mean 'hours.md'?"),
        ("latin.md", "latin.md:1:4: this is not UTF-8 (byte 0xe9); save the file as UTF-8"),
        (".", "'.' can't be read: Is a directory"),
        ("link.md", "'link.md' lies outside the project; only files inside it are read"),
        ("empty.md", "text is wanted here, and nothing is written"),
    ],
)
def test_a_file_that_can_not_be_knowledge_says_why(tmp_path: Path, named: str, said: str) -> None:
    """W06: no file URIs, no absolute paths, nothing outside."""
    (tmp_path / "secret.md").write_text("secret")
    root = write(
        tmp_path / "project",
        {
            "agents/desk.yaml": f"{AGENT}knowledge:\n  hours: {{file: '{named}'}}\n",
            "agents/hours.md": "Nine to five",
            "agents/latin.md": b"caf\xe9",
            "agents/empty.md": "",
        },
    )
    (root / "agents" / "link.md").symlink_to(tmp_path / "secret.md")

    assert refusal(root) == [f"agents/desk.yaml:4:17: {said}"]


def test_the_projects_limits_hold_in_its_suites(tmp_path: Path) -> None:
    limits = "limits: {line_chars: 2000, case_name_chars: 3, script_lines: 1, criteria: 1}\n"
    case = "one: {name: Four, script: ['%s', b], expect: [judge: A., judge: B.]}" % ("a" * 1500)
    write(tmp_path, {"greenroom.yaml": limits, "suites/booking.yaml": f"suite: booking\ncases:\n  {case}\n"})

    assert refusal(tmp_path) == [
        "suites/booking.yaml:3:15: this text has 4 characters; the limit `case_name_chars` is 3",
        "suites/booking.yaml:3:21: the script has 2 lines; the limit `script_lines` is 1",
        "suites/booking.yaml:3:1538: the case has 2 criteria; the limit `criteria` is 1",
    ]

    write(
        tmp_path,
        {"greenroom.yaml": limits, "suites/booking.yaml": f"suite: booking\ncases:\n  {case.replace('Four', 'Two')}\n"},
    )

    assert refusal(tmp_path) == [
        "suites/booking.yaml:3:20: the script has 2 lines; the limit `script_lines` is 1",
        "suites/booking.yaml:3:1537: the case has 2 criteria; the limit `criteria` is 1",
    ]


def test_a_line_of_five_thousand_lines_is_sent_as_it_is_where_the_limit_allows_it() -> None:
    text = "\n".join(f"line {number} \U0001f6a4 שלום" for number in range(5000))
    indented = text.replace("\n", "\n        ")
    document = f"suite: s\ncases:\n  one:\n    script:\n      - |-\n        {indented}\n    expect: [judge: Fine.]\n"

    with pytest.raises(DocumentsInvalid, match=r"5:9: this text has \d+ characters; the limit `line_chars` is 1000"):
        load_document(document)

    suite = load_document(document, limits=Limits(line_chars=1_000_000))
    assert isinstance(suite, Suite)
    assert suite.cases["one"].script == (Say(say=text),)


@pytest.mark.parametrize(
    ("project", "agent", "zone"),
    [
        ("time_zone: America/Chicago\n", "", "America/Chicago"),
        ("time_zone: America/Chicago\n", "time_zone: Europe/Berlin\n", "Europe/Berlin"),
        ("time_zone: America/Chicago\n", "time_zone: UTC\n", "UTC"),
        ("workspace: w\n", "", "UTC"),
    ],
)
def test_an_agent_without_a_time_zone_has_the_projects(tmp_path: Path, project: str, agent: str, zone: str) -> None:
    """T30."""
    root = write(tmp_path, {"greenroom.yaml": project, "agents/desk.yaml": AGENT + agent})
    loaded = load_project(root, environment={}).agents["desk"]
    assert loaded.time_zone == zone
    assert decode(Agent, document_json(loaded)).time_zone == zone


def test_a_time_without_an_offset_stays_without_until_it_is_known_whose_it_is(tmp_path: Path) -> None:
    suite = SUITE.replace("script:", "world: {now: 2026-06-06T14:00}, script:")
    loaded = load_project(write(tmp_path, {"suites/a.yaml": suite}), environment={})
    now = loaded.suites["booking"].cases["one"].world.now

    assert now is not None
    assert now.isoformat() == "2026-06-06T14:00:00"


def test_a_variable_that_is_not_set_is_told_and_a_document_keeps_its_name(tmp_path: Path) -> None:
    """P20: an error that names it, never an empty text."""
    tool = "tools: {find: {url: 'https://${SHOP_HOST}/', headers: {Authorization: 'Bearer ${SHOP_KEY}'}}}\n"
    root = write(tmp_path, {"agents/desk.yaml": AGENT + tool})

    loaded = load_project(root, environment={"SHOP_HOST": "shop.example"})

    assert [str(finding) for finding in loaded.findings] == [
        "agents/desk.yaml:3:71: the environment variable SHOP_KEY is not set; set it, "
        "or write the value in place of ${SHOP_KEY}"
    ]
    assert loaded.findings[0].severity is Severity.ERROR
    assert loaded.agents["desk"].tools["find"].headers == {"Authorization": "Bearer ${SHOP_KEY}"}
    assert load_project(root, environment={"SHOP_HOST": "", "SHOP_KEY": "x"}).findings == ()


def test_a_password_that_is_not_set_can_not_be_written_out_in_its_place(tmp_path: Path) -> None:
    """Of mail and channels, which only the live side needs, a test needs no variable."""
    scheduling = (
        'scheduling:\n  hours: {daily: "09:00-17:00"}\n'
        '  calendar: {caldav: "https://dav.example/a/", password: "${CALENDAR_PASSWORD}"}\n'
    )
    root = write(
        tmp_path,
        {
            "agents/desk.yaml": f"{AGENT}{scheduling}channels: {{web: {{secret: '${{SECRET}}'}}}}\n",
            "greenroom.yaml": "mail: {smtp: 'smtp://me:${SMTP_PASSWORD}@mail.example', from: a@mail.example}\n",
        },
    )

    assert [str(finding) for finding in load_project(root, environment={}).findings] == [
        "agents/desk.yaml:5:58: the environment variable CALENDAR_PASSWORD is not set; set it where Greenroom runs"
    ]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:5232/a/", "http://localhost/a/", "http://[::1]/a/", "https://dav.example/a/", "${URL}"]
)
def test_a_calendar_s_password_stays_on_this_machine_or_is_encrypted(url: str) -> None:
    calendar = f'{{caldav: "{url}", password: "${{PW}}"}}'
    text = f'{AGENT}scheduling: {{hours: {{daily: "09:00-17:00"}}, calendar: {calendar}}}\n'

    assert load_document(text, kind=DocumentKind.AGENT)


def test_the_makers_of_tests_go_through_the_loader() -> None:
    assert builders.agent(rules="Be kind.").rules == ("Be kind.",)
    assert builders.case(samples=3).samples == 3


def test_as_many_choices_as_there_may_be_are_read_for_a_field_that_has_as_many() -> None:
    options = ", ".join(f"country {number}" for number in range(500))
    flow = f"[{{ask: {{text: Which?, options: [{options}], field: country}}}}]"
    text = f"{AGENT}people: {{fields: {{country: {{options: [{options}]}}}}}}\nplaybooks: {{p: {{flow: {flow}}}}}\n"

    assert load_document(text, kind=DocumentKind.AGENT)
