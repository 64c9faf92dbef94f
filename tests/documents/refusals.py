"""Documents that are wrong, each in one way; what is said of them is the golden file `refusals.txt`."""

from dataclasses import dataclass
from textwrap import indent

from tests.documents.flow_refusals import FLOWS
from tests.documents.mail_refusals import MAIL_OF_AGENTS
from tests.documents.plain_refusals import PLAIN_AGENTS, PLAIN_CASES
from tests.documents.proactive_refusals import PROACTIVE
from tests.documents.project_refusals import PROJECTS
from tests.documents.size_refusals import BIG_AGENTS, BIG_CASES
from tests.documents.tool_refusals import TOOLS

from greenroom.documents.loading import DocumentKind

__all__ = ["REFUSALS", "Wrong"]


@dataclass(frozen=True, slots=True)
class Wrong:
    """One document."""

    title: str
    kind: DocumentKind
    data: str | bytes


def _agent(title: str, text: str) -> Wrong:
    return Wrong(title, DocumentKind.AGENT, f"agent: desk\nmodel: script:a.yaml\n{text}\n")


def _case(title: str, text: str) -> Wrong:
    """A case that is whole but for what `text` adds or replaces."""
    keys = {"script": "script: [Hello]", "expect": "expect: [judge: It is polite.]"}
    rest = "\n".join(line for key, line in keys.items() if f"{key}:" not in text)
    body = indent("\n".join(part for part in (text, rest) if part), "    ")
    return Wrong(title, DocumentKind.SUITE, f"suite: booking\ncases:\n  one:\n{body}\n")


def _expect(title: str, entry: str) -> Wrong:
    return _case(title, f"expect:\n  - {entry}")


def _project(title: str, text: str) -> Wrong:
    return Wrong(title, DocumentKind.PROJECT, text + "\n")


def _suite(title: str, data: str | bytes) -> Wrong:
    return Wrong(title, DocumentKind.SUITE, data)


_YAML = (
    _suite("an empty file", ""),
    _suite("nothing but a comment", "# cases come later\n"),
    _suite("a tab that indents", "suite: booking\ncases:\n\tone: {}\n"),
    _suite("not UTF-8", b"suite: booking\nname: caf\xe9\n"),
    _suite("UTF-16", "suite: booking".encode("utf-16")),
    _suite("two documents, with CRLF (W05)", "suite: one\r\n---\r\nsuite: two\r\n"),
    _suite("a template without quotes (P17)", "suite: booking\nname: {{ v }}\n"),
    _suite("a template without quotes before words", "suite: booking\nname: {{ v }} boats\n"),
    _suite(
        "keys of a case beside its id",
        "suite: booking\ncases:\n  one:\n  script: [Hi]\n  person: {first_name: Ana}\n  expect: [judge: Fine.]\n",
    ),
    _suite("an open quote", 'suite: "booking\n'),
    _suite("an open list", "suite: booking\nagents: [desk\n"),
    _suite("a colon in plain text", "suite: booking\nname: Boats: all of them\n"),
    _suite("an @ that begins a text", "suite: booking\ntags: @smoke\n"),
    _suite("a wrong escape", 'suite: booking\nname: "C:\\quays"\n'),
    _suite("a control character", "suite: booking\nname: a\x07b\n"),
    _suite("a list in place of a document", "- suite: booking\n"),
    _suite("a text in place of a document", "booking\n"),
    _suite("a key twice", "suite: booking\nname: A\nname: B\ncases: {one: {script: [Hi], expect: [judge: Fine.]}}\n"),
    _suite("a list as a key", "suite: booking\n? [a, b]\n: c\n"),
    _suite("an alias for nothing", "suite: booking\nname: *name\n"),
    _suite("an alias inside its own anchor", "suite: &all [*all]\n"),
    _suite("a merge of a text", "suite: booking\n<<: more\n"),
    _suite("a tag", "suite: !secret booking\n"),
    _suite(
        "a billion laughs",
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True)),
    ),
    _suite("a thousand levels", "suite: " + "[" * 120 + "]" * 120 + "\n"),
)

_AGENTS = (
    Wrong("an agent without a model", DocumentKind.AGENT, "agent: desk\n"),
    Wrong("an agent in the folder of suites", DocumentKind.SUITE, "agent: desk\nmodel: script:a.yaml\n"),
    Wrong("an id with an accent and an emoji", DocumentKind.AGENT, "agent: été-😀\nmodel: script:a.yaml\n"),
    Wrong(
        "a form written as a capability",
        DocumentKind.AGENT,
        "agent: a\nmodel: script:a.yaml\nplaybooks: {p: {uses: ['form:complaint']}}\n",
    ),
    Wrong("an id with capitals and spaces", DocumentKind.AGENT, "agent: Front Desk\nmodel: script:a.yaml\n"),
    _agent(
        "words that a channel doesn't have", "channels: {web: {words: {stopped: Bye}}, sms: {words: {stoped: Bye}}}"
    ),
    _agent("an empty word", "channels: {web: {words: {send: ''}}}"),
    _agent("a language that is none", "channels: {web: {language: German}, sms: {language: de}}"),
    _agent("a language that no browser knows", "channels: {web: {language: de-12}}"),
    _agent(
        "a page of another language with English words",
        "channels: {web: {language: de, words: {send: Senden, write: Nachricht, you: Sie, agent: Wir, over: Ende}}}",
    ),
    _agent("words of another channel", "channels: {web: {words: {stopped: Bye}}}"),
    _agent("consent as a switch", "people: {consent: true}"),
    _agent(
        "consent that no playbook records, of a kind of its own",
        "people: {consent: mesages}\nplaybooks: {booking: {when: Boats., prompt: Book one.}}",
    ),
    _agent(
        "a choice that means no more messages by SMS",
        "channels: {sms: {}}\nplaybooks: {a: {flow: [ask: {text: Sure?, confirm: [Go on, Cancel]}]}}",
    ),
    _agent("an unknown key, far from all", "colour: red"),
    _agent("parts of later versions", "connect: {}"),
    _agent("a list where text is wanted", "greeting: [Hi, Hello]"),
    _agent("a mapping where a list is wanted", "rules: {one: Be kind.}"),
    _agent("an unknown capability", "playbooks: {booking: {uses: [knowlege]}}"),
    _agent("ids that differ in case only", "playbooks: {booking: {when: a}, Booking: {when: b}}"),
    _agent(
        "tools that differ in case only", "tools: {Find: {url: 'https://a.example'}, find: {url: 'https://b.example'}}"
    ),
    _agent(
        "patterns in parameters (C12)",
        r"""tools:
  find:
    url: https://a.example
    parameters:
      properties:
        pattern: {type: string, pattern: '(?P<day>\d+)', default: {pattern: '(?P<a>b)'}}
        code: {anyOf: [{type: string, pattern: '(['}, {type: 'null'}]}
        days: {type: array, items: {$ref: '#/$defs/day'}}
        week: {type: object, patternProperties: {'^[a-z]+$': {type: string}}}
        size: {type: string, pattern: 5}
      additionalProperties: {not: {pattern: '\Aa'}}
      $defs: {day: {pattern: '^\p{L}$'}}""",
    ),
    _agent("parameters without the object", "tools: {find: {url: 'https://a.example', parameters: {day: string}}}"),
    _agent("parameters of no type", "tools: {find: {url: 'https://a.example', parameters: {type: {object: yes}}}}"),
    _agent("a mock with a condition on the tool", "tools: {find: {url: 'https://a.example', mocks: [{when: {a: 1}}]}}"),
    _agent("one result and several", "tools: {find: {url: 'https://a.example', mocks: [{result: 1, results: [2]}]}}"),
    _agent("an end without a sequence", "tools: {find: {url: 'https://a.example', mocks: [{result: 1, then: cycle}]}}"),
    _agent("an unknown template name (S20)", "greeting: 'Hi {{person.fist_name}}, it is {{system.time}}'"),
    _agent("a secret in a prompt", "prompt: 'The key is ${SHOP_KEY}'"),
    _agent("a part that does not exist", "templates: {marinas: [{txt: We have two.}]}"),
    _agent(
        "an own mock that names nothing",
        "tools: {find: {url: 'https://a.example/', mocks: [{results: [1, {template: {a: '{{person.nmae}}'}}]}]}}",
    ),
    _agent("a chip of two minds", "templates: {marinas: [{chips: [{label: Go, link: a, call: b}]}]}"),
    _agent("a link that nobody can open", "templates: {rates: [{chips: [{label: Rates, link: lakeside.example}]}]}"),
    _agent("an empty carousel", "templates: {marinas: [{carousel: []}]}"),
    _agent("knowledge of nothing", "knowledge: {hours: {title: Opening hours}}"),
    _agent("knowledge twice", "knowledge: {hours: {text: Nine to five., file: hours.md}}"),
    _agent("a file without a project", "knowledge: {hours: {file: hours.md}}"),
    _agent("an example without a reply", "playbooks: {booking: {examples: [{person: Hi}]}}"),
    _agent("a field that every person has", "people: {fields: {email: {type: string}}}"),
    _agent("an unknown type of field", "people: {fields: {size: {type: int}}}"),
    _agent("a channel that does not exist", "channels: {phone_inbound: {number: '+1'}}"),
    _agent("a flag in the way of YAML 1.1", "people: {auto_create: yes}"),
)

_CASES = (
    _suite("no cases", "suite: booking\ncases: {}\n"),
    _suite("cases as a list", "suite: booking\ncases: [one]\n"),
    _suite(
        "a schedule", "suite: booking\nschedule: '0 6 * * *'\ncases: {one: {script: [Hi], expect: [judge: Fine.]}}\n"
    ),
    _suite(
        "an id with capitals, one that differs in case only",
        "suite: booking\ncases:\n  one: {script: [Hi], expect: [judge: Fine.]}\n"
        "  One: {script: [Hi], expect: [judge: Fine.]}\n",
    ),
    _suite(
        "a wrong key in the defaults, told once",
        "suite: booking\ndefaults: {chanel: web}\ncases:\n  one: {script: [Hi], expect: [judge: Fine.]}\n"
        "  two: {script: [Hi], expect: [judge: Fine.]}\n",
    ),
    _case("neither script nor history", "script: []"),
    _case("a history without the person", "script:\nhistory: [{agent: Hello}]"),
    _case("a step of nobody", "history: [{customer: Hello}]"),
    _case("nothing expected", "expect: []"),
    _case("no expectations at all", "expect:"),
    _case(
        "parts of later versions",
        "customer: gold\nworld: {http: {}, integrations: {}}",
    ),
    _case("a policy that does not exist", "world: {policy: live}"),
    _case("an unknown channel", "channel: web_chat"),
    _case("an unknown key", "expct: [judge: Fine.]"),
    _case("a person that is neither", "person: stranger"),
    _case("an unknown field of the person", "person: {firstname: Ana}"),
    _case("consent in the way of YAML 1.1", "person: {consent: {messages: yes}}"),
    _case("a name too long", f"name: {'Books a boat ' * 6}"),
    _case("a line too long", f"script: ['{'boat ' * 250}']"),
    _case("an empty line (S06)", 'script: ["", " "]'),
    _case("a line with a colon", "script:\n  - I want this: a boat"),
    _case("a line that is said and a template", "script: [{say: Hi, template: Hi}]"),
    _case("a template with another key", "script: [{say: {templat: Hi}}]"),
    _case("a template without text", "script: [{template: }]"),
    _case("a template that is no text", "history: [{person: {template: [Hi]}}]"),
    _case("an empty line", "script: [{tap: {chip: North, otherwise: {}}}]"),
    _case("a tap without a fallback (A3)", "script: [{tap: {chip: North}}]"),
    _case("a tap on a time that no day has", "script: [{tap: {slot: 2027-13-45T99:00, otherwise: then}}]"),
    _case("a tap at two things", "script: [{tap: {chip: North, slot: first, otherwise: north}}]"),
    _case("a tap at nothing", "script: [{tap: {otherwise: north}}]"),
    _case("a tap at a text", "script: [{tap: North}]"),
    _case("a wrong key of a tap", "script: [{tap: {chip: North, otherwize: north, otherwise: north}}]"),
    _case("more samples than allowed", "samples: 21"),
    _case("more passes than samples", "samples: 3\npass_at_least: 4"),
    _case("more turns than the project allows", "limits: {turns_max: 41}"),
    _case("too many lines", f"script: [{', '.join(['Hi'] * 41)}]"),
    _case("a strategy that does not exist", "world: {mock: some}"),
    _case("a mock without a tool", "world: {mocks: [{result: 1}]}"),
    _case("a time that is none", "world: {now: Saturday}"),
    _case("a time beyond the calendar", "world: {now: 9999-12-31T23:00}"),
    _agent("a day beyond the calendar", "scheduling: {hours: {mon: '09:00-12:00'}, closed: [9999-12-31]}"),
    _case("a status out of bounds", "world: {mocks: [{tool: find, status: 99}]}"),
    _case("no JSON value", "world: {mocks: [{tool: find, result: {price: .nan}}]}"),
    _case("an empty skip", "skip: ''"),
)

_CHECKS = (
    _expect("a plain sentence", "The agent is polite"),
    _expect("two words in one entry", "{judge: It is polite., says: Hello}"),
    _expect("an unknown check", "jugde: It is polite."),
    _expect("a check that is near none", "tone: good"),
    _expect("a check of a later version", "http_called: {}"),
    _expect("exactly and at least", "called: {tool: find, exactly: 1, at_least: 1}"),
    _expect("at most less than at least", "called: {tool: find, at_most: 0}"),
    _expect("a negative count", "called: {tool: find, at_least: -1}"),
    _expect("no tool named", "called: {with: {day: Sat}}"),
    _expect("an unknown key of a check", "called: {tool: find, arguments: {day: Sat}}"),
    _expect("not no tool", "no_tool_called: false"),
    _expect("an unknown shape", "reply: {shape: carrousel}"),
    _expect("an unknown turn", "reply: {contains: Hi, turn: first}"),
    _expect("a negative turn", "reply: {contains: Hi, turn: -1}"),
    _expect("a reply that wants nothing", "reply: {turn: last}"),
    _expect("an unknown key of a reply", "reply: {contain: Hi}"),
    _expect("nothing to mention", "mentions: []"),
    _expect("an end by nobody", "ended_by: customer"),
    _expect("a reason that does not exist", "stopped: resolvd"),
    _expect("an effect that does not exist", "effect: {kind: notification}"),
    _expect("an end state that says nothing", "state: {}"),
    _expect("a root that does not exist", "state: {person: {status: lead}, apointments: 1}"),
    _expect("a root of a later version", "state: {shopify: {orders: {'#1001': {cancelled_at: {any: true}}}}}"),
    _expect("an appointment by a field in place of its order", "state: {appointments: {status: booked}}"),
    _expect("somebody of the people who is not the person", "state: {people: {ana: {status: lead}}}"),
    _expect("a list without entities", "state: {created: {appointments: []}}"),
    _expect("something created under no root", "state: {created: {person: {status: lead}}}"),
    _expect("something new that is absent", "state: {created: {appointments: {absent: true}}}"),
    _expect("a deleted field", "state: {deleted: [appointments.1.start]}"),
    _expect("a path of a root that does not exist", "state: {peron.status: lead, person.status: lead}"),
    _expect("a path of a later version", "state: {shopify.orders: 1}"),
    _expect("a path to no appointment", "state: {appointments.first.status: booked, appointments: {one.title: x}}"),
    _expect("a path to somebody who is not the person", "state: {people.ana.status: lead}"),
    _expect("a path that ends with a dot", "state: {person.: {status: lead}, unchanged: [person.]}"),
    _expect("a path to an entity that is none", "state: {appointments.1: booked}"),
    _expect("a path to an appointment at no time", "state: {appointments.1.start: tomorrow}"),
    _expect("what became of a path", "state: {created.people: 1, unchanged.person.status: true}"),
    _expect("unchanged, but false", "state: {unchanged: false}"),
    _expect("unchanged where there is nothing", "state: {unchanged: [appointments.first]}"),
    _expect("a pattern in an end state (C12)", "state: {person: {name: {regex: '(?i)ana'}}}"),
    _expect("an empty criterion", "judge: ''"),
    _expect("a criterion too long", f"judge: {'Very polite. ' * 80}"),
    _expect("a score out of bounds", "score: {text: It is polite., at_least: 101}"),
    _expect("votes of a later version", "judge: {text: It is polite., judge_votes: 3}"),
    _expect("what the judge can't see", "judge: {text: It is polite., sees: turns}"),
    _agent("too many standing criteria", f"review: [{', '.join(['Fine.'] * 11)}]"),
    _agent("a standing criterion that is too long", f"review: {'x' * 1001}"),
    _agent("a standing criterion that says nothing", 'review: ["", "  "]'),
    _case("a live test whose tools are mocked", "world: {policy: live-test, mock: all}"),
    _case(
        "a live test with appointments",
        "world: {policy: live-test}\nperson: visitor\nappointments: [{title: A, start: 2026-06-06}]",
    ),
    _case("too many criteria", f"expect: [{', '.join(['{judge: Fine.}'] * 11)}]"),
    _case("too many actions", f"expect: [{', '.join(['{called: find}'] * 11)}]"),
)

_MATCHERS = (
    _expect("a pattern of Python's (C12)", "reply: {regex: '(?i)hello'}"),
    _expect("a pattern that does not close", "reply: {regex: '(hello'}"),
    _expect("an empty pattern (P07)", "reply: {regex: ''}"),
    _expect("a back-reference in parameters (C12)", "called: {tool: find, with: {day: {regex: '(a)\\1'}}}"),
    _expect("a distance without a number", "called: {tool: find, with: {price: {within: 0.5}}}"),
    _expect("a distance below zero", "called: {tool: find, with: {price: {number: 5, within: -1}}}"),
    _expect("a number that is text", "called: {tool: find, with: {price: {number: five}}}"),
    _expect("one of nothing", "called: {tool: find, with: {day: {one_of: []}}}"),
    _expect("an unknown type", "called: {tool: find, with: {day: {type: text}}}"),
    _expect("any, but false", "called: {tool: find, with: {day: {any: false}}}"),
    _expect("warning: the bare word any", "called: {tool: find, with: {day: any}}"),
    _expect("warning: matcher words and others", "called: {tool: find, with: {day: {contains: Sat, foo: 1}}}"),
    _expect("warning: nearly a matcher word", "called: {tool: find, with: {day: {regexp: ^Sat}}}"),
    _expect("warning: a pattern that fits everything (P07)", "reply: {regex: '.*'}"),
    _expect("warning: a number with a leading zero", "called: {tool: find, with: {code: 0123}}"),
    _case("warning: more lines than the guideline", f"script: [{', '.join(['Hi'] * 21)}]"),
)

_CUSTOMERS = (
    Wrong("a fixture without an address", DocumentKind.CUSTOMER, "customer: gold\nhttp: {points: {body: 1}}\n"),
    Wrong(
        "a fixture with two addresses",
        DocumentKind.CUSTOMER,
        "customer: gold\nhttp: {points: {url_contains: /a, url_regex: b}}\n",
    ),
    Wrong("an unknown connector", DocumentKind.CUSTOMER, "customer: gold\nshopfy: {orders: []}\n"),
    Wrong("another product", DocumentKind.CUSTOMER, "customer: gold\nloop_returns: {returns: []}\n"),
)

_SIMULATED = (
    _case("a person to simulate without a brief", "simulate: {max_turns: 3}"),
    _case("an unknown section of a brief", "simulate: {brief: {wants: A boat, knowns: {day: Sat}}}"),
    _case("a brief that wants nothing", "simulate: {brief: {who: Ana}}"),
    _case("an empty brief", "simulate: {brief: ''}"),
    _case("an empty section", "simulate: {brief: {wants: A boat, knows: []}}"),
    _case(
        "a fact that YAML takes for a comment", "simulate:\n  brief:\n    wants: A boat\n    knows:\n      code: #1001"
    ),
    _case("a fact in a list", "simulate: {brief: {wants: A boat, knows: [code: LK-1]}}"),
    _case("a template that names nothing (S20)", "simulate: {brief: 'You are {{ name }} on {{system.chanel}}'}"),
    _case("a variable in a brief", "simulate: {brief: 'The key is ${KEY}'}"),
    _case("no turns", "simulate: {brief: A boat, max_turns: 0}"),
    _case("more turns than are allowed", "simulate: {brief: A boat, max_turns: 41}"),
    _case("more turns than the case allows", "simulate: {brief: A boat, max_turns: 9}\nlimits: {turns_max: 8}"),
    _case("a script longer than the turns", "simulate: {brief: A boat, max_turns: 2}\nscript: [a, b, c]"),
    _case("warning: more turns than the guideline", "simulate: {brief: A boat, max_turns: 21}"),
)


def _hours(title: str, hours: str) -> Wrong:
    return _agent(title, f"scheduling:\n  hours: {hours}")


_SCHEDULING = (
    _agent("scheduling without hours", "scheduling: {}"),
    _hours("hours without days", '"09:00-17:00"'),
    _hours("a day that is none", '{mo: "09:00-17:00", weekday: "09:00-17:00", holidays: closed}'),
    _hours("hours in other words", "{mon: 9 to 5, tue: [morning], wed: {from: 9}, thu: 9}"),
    _hours("hours that no day has", '{mon: "09:00-25:00", tue: "24:00-24:30"}'),
    _hours("hours that end when they begin", '{mon: "12:00-12:00"}'),
    _hours("hours that may be the wrong way round", '{mon: "17:00-09:00", wed: "18:30-07:00", fri: "20:00-08:00"}'),
    _hours("hours that overlap", '{mon: ["09:00-12:00", "11:30-13:00"]}'),
    _hours("hours that overlap after midnight", '{fri: "22:00-03:00", weekend: "02:00-04:00"}'),
    _hours("hours that overlap from Sunday to Monday", '{daily: "20:00-04:00", mon: ["03:30-05:00"]}'),
    _hours("hours shorter than an appointment", '{mon: "09:00-09:30"}'),
    _hours("more notice than there are days ahead", '{mon: "09:00-17:00"}\n  notice: 2d\n  ahead: 1d'),
    _hours("a date that is none", '{mon: "09:00-17:00"}\n  closed: [2026-02-30, Christmas]'),
    _hours("times longer than a day", '{mon: "09:00-17:00"}\n  slot_minutes: 1441\n  offer: 0\n  remind: 24'),
    _hours("a calendar that is none", '{mon: "09:00-17:00"}\n  calendar: embeded'),
    _hours("a calendar without an address", '{mon: "09:00-17:00"}\n  calendar: {user: team}'),
    _hours(
        "a calendar's password in the clear",
        '{mon: "09:00-17:00"}\n  calendar: {caldav: "http://dav.example/a", user: me, password: "${PW}"}',
    ),
    _hours("an address that is none", '{mon: "09:00-17:00"}\n  calendar: {caldav: dav.example}'),
    _hours(
        "a password in a document",
        '{mon: "09:00-17:00"}\n  calendar: {caldav: "https://dav.example/a", password: secret}',
    ),
    _agent(
        "a representative's zone and hours", "representatives: {dana: {name: D, time_zone: Europe/Berln, hours: {}}}"
    ),
    _agent("only representatives without hours", "scheduling: {}\nrepresentatives: {dana: {name: D}}"),
    _case("an appointment without a time", "person: visitor\nappointments: [{title: Boat}]"),
    _case("an appointment at no time", "person: visitor\nappointments: [{title: Boat, start: Saturday}]"),
    _case(
        "an appointment that ends twice",
        "person: visitor\nappointments:\n"
        "  - {title: Boat, start: 2026-06-06T14:00, end: 2026-06-06T15:00, minutes: 60}",
    ),
    _case(
        "an appointment that ends before it begins",
        "person: visitor\nappointments: [{title: Boat, start: 2026-06-06T14:00, end: 2026-06-06T13:00}]",
    ),
    _case(
        "an appointment of two kinds of time",
        "person: visitor\nappointments: [{title: Boat, start: 2026-06-06T14:00, end: 2026-06-06T15:00-05:00}]",
    ),
    _case(
        "an appointment with a status of its own",
        "person: visitor\nappointments: [{title: Boat, start: 2026-06-06T14:00, status: bookd}]",
    ),
    _expect("no status that an appointment has", "appointment: {status: bokked}"),
    _expect("no status that an appointment has, and none near", "appointment: confirmed"),
    _expect("an appointment that begins at no time", "appointment: {start: soon, end: {at_least: 2027-13-45T10:00}}"),
    _expect("an appointment at one of no times", "appointment: {start: {one_of: [2026-06-06, June], not: 7}}"),
    _expect("a state of an appointment at no time", "state: {appointments: {1: {start: tomorrow, end: {equals: x}}}}"),
    _expect("a new appointment at no time", "state: {created: {appointments: [{start: 20260606}]}}"),
    _expect("an appointment beyond the calendar", "appointment: {start: 0001-01-01}"),
    _expect("appointments counted twice over", "appointment: {status: booked, exactly: 1, at_least: 1}"),
    _expect("an unknown key of an appointment", "appointment: {begins: 2026-06-06T14:00}"),
    _case("an appointment of nobody", "appointments: [{title: Boat, start: 2026-06-06T14:00}]"),
    _case(
        "a busy time that ends when it begins",
        "world: {calendar: {busy: [{start: 2026-06-06T14:00, end: 2026-06-06T14:00}]}}",
    ),
)

REFUSALS: tuple[Wrong, ...] = (
    *_YAML,
    *(_project(title, text) for title, text in PROJECTS),
    *_AGENTS,
    *(_agent(title, text) for title, text in (*FLOWS, *MAIL_OF_AGENTS)),
    *_CASES,
    *_CHECKS,
    *_MATCHERS,
    *_CUSTOMERS,
    *_SIMULATED,
    *_SCHEDULING,
    *(_agent(title, text) for title, text in (*TOOLS, *PROACTIVE, *PLAIN_AGENTS, *BIG_AGENTS)),
    *(_case(title, text) for title, text in PLAIN_CASES),
    *(_case(title, text) for title, text in BIG_CASES),
)
