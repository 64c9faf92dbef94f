"""What a mail server's keys must fit together."""

from greenroom.documents.hosts import is_this_machine
from greenroom.documents.mail import MailSettings
from greenroom.documents.model_forms import value_of
from greenroom.documents.parts import Doc
from greenroom.documents.reading import Reading
from greenroom.documents.smtp_urls import smtp_server
from greenroom.documents.yaml12 import Written

__all__ = ["mail_fits"]


def mail_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """No password goes unencrypted to another machine; one in a variable is seen when it is sent."""
    if not isinstance(model, MailSettings) or model.starttls == "required":
        return True
    try:
        server = smtp_server(model.smtp, lambda text: text)
    except ValueError:
        return True
    if server.tls or not server.password or "$" in server.host or is_this_machine(server.host):
        return True
    message = f"the password would be sent unencrypted to {server.host}; leave `starttls` out, or write `smtps://`"
    reading.error(value_of(written, "starttls").at, message)
    return False
