"""Packages of skills travel as bytes: what Schemathesis makes up is sent as it is."""

import schemathesis


@schemathesis.serializer("application/vnd.palyra.skill")
def package(context, value):
    return value if isinstance(value, bytes) else str(value).encode()
