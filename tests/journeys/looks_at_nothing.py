"""What no walk through the sandbox asks, since it looks at nothing there."""

from collections.abc import Mapping

__all__ = ["LOOKS_AT_NOTHING"]

LOOKS_AT_NOTHING: Mapping[str, str] = {
    "gateway.open_gateway": "only takes in what channels deliver, and a case's person is no channel",
    "own_messages.say_all_due": "what it is handed: outreach, follow-ups and reminders, which are asked above",
    "published.published_agent": "which agents are published, and in a sandbox nobody is",
    "published.published_agents": "the same of all",
    "health.check_health": "asks the database whether it is there",
    "publishing.publish": "an agent's document",
    "publishing.find_revision": "an agent's documents",
    "publishing.list_revisions": "an agent's documents",
    "chat.open_chat": "one conversation, in a sandbox of its own or live",
    "leaving.errand_deliveries": "does errands, which are always live",
    "leaving.errand_senders": "does one errand, which is always live",
    "live_tests.live_side": "what live tests book and send, which is real",
    "live_turns.world_of_turn": "one live conversation",
    "results.as_it_stands": "one run, which is handed over",
    "results.results_of": "results of one run, which are handed over",
    "results.show_result": "one result of one run",
    "written.written_agent": "an agent's document",
    "written.written_agents": "the agents' documents",
    "playing.what_is_played": "documents",
    "runs.prepare": "documents and earlier runs",
    "runs.perform": "plays cases, each in a sandbox of its own",
    "sandboxes.cleanup": "is for the sandbox alone, and says how much it removed",
    "business_calendars.calendars_of": "reads what the business's own calendars say",
    "sandboxes.outside_of": "what sandboxes may read of the live side",
    "sandboxes.kept_sandbox": "is for the sandbox alone",
}
"""Operations that list, count and send nothing that a conversation left, and why."""
