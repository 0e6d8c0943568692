"""A web server on loopback, made by a test, that does what real ones do on bad days."""

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Handler", bytes], None]


@dataclass
class Site:
    """Files by path, and what is answered in place of them, once each, in order."""

    files: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    address: str = ""
    ranges: bool = True
    etags: bool = True
    types: dict[str, str] = field(default_factory=dict)

    def ranges_asked(self) -> list[str | None]:
        return [headers.get("Range") for _, headers in self.requests]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def do_GET(self) -> None:
        site = self.site
        site.requests.append((self.path, dict(self.headers.items())))
        answers = site.answers[self.path]
        if answers:
            answers.pop(0)(self, site.files.get(self.path, b""))
        elif self.path in site.files:
            serve(self, site.files[self.path])
        else:
            status(404)(self, b"")

    def handle(self) -> None:
        with suppress(ConnectionError):  # a client that has had enough
            super().handle()

    def log_message(self, *_: Any) -> None:
        pass


def serve(handler: Handler, body: bytes, send: Callable[[bytes], None] | None = None) -> None:
    """Answer as a good server does."""
    site = handler.site
    tag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
    wanted = handler.headers.get("Range", "") if site.ranges else ""
    if handler.headers.get("If-Range", tag) != tag:
        wanted = ""
    begin = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
    if wanted and begin >= len(body):
        handler.send_response(416)
        handler.send_header("Content-Range", f"bytes */{len(body)}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    handler.send_response(206 if wanted else 200)
    if wanted:
        handler.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
    handler.send_header("Content-Length", str(len(body) - begin))
    handler.send_header("Content-Type", site.types.get(handler.path, "application/octet-stream"))
    if site.etags:
        handler.send_header("ETag", tag)
    handler.end_headers()
    (send or handler.wfile.write)(body[begin:])


def cut(after: int) -> Answer:
    """Promise all, and close the connection in the middle."""

    def answer(handler: Handler, body: bytes) -> None:
        serve(handler, body, lambda rest: handler.wfile.write(rest[:after]) and None)
        handler.close_connection = True

    return answer


def stall(after: int, seconds: float) -> Answer:
    """Send a little and then nothing for a while."""

    def answer(handler: Handler, body: bytes) -> None:
        def send(rest: bytes) -> None:
            handler.wfile.write(rest[:after])
            handler.wfile.flush()
            threading.Event().wait(seconds)

        serve(handler, body, send)
        handler.close_connection = True

    return answer


def trickle(step: int, pause: float) -> Answer:
    """Send a few bytes at a time."""

    def answer(handler: Handler, body: bytes) -> None:
        def send(rest: bytes) -> None:
            for begin in range(0, len(rest), step):
                handler.wfile.write(rest[begin : begin + step])
                handler.wfile.flush()
                threading.Event().wait(pause)

        serve(handler, body, send)
        handler.close_connection = True

    return answer


def status(code: int, **headers: str) -> Answer:
    """Answer with a status and no file."""

    def answer(handler: Handler, body: bytes) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextmanager
def running(host: str = "127.0.0.1") -> Iterator[Site]:
    """A site that answers until the block ends."""
    site = Site()
    handler = type("SiteHandler", (Handler,), {"site": site})
    server = ThreadingHTTPServer((host, 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    site.address = f"http://{host}:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
