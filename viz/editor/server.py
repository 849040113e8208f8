"""Serves a workbench on localhost: one page, and one request per edited pipeline.

The address contains a random token, so that no other page or user can guess it; requests with another ``Host`` are
refused, so that no other name can be bound to this address (DNS rebinding).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from viz.editor.workbench import Workbench

LOCALHOST = "127.0.0.1"
MAX_REQUEST_BYTES = 1 << 16


class WorkbenchServer(ThreadingHTTPServer):
    """An HTTP server for one workbench; ``url`` is the address of its page. Port 0 means any free port."""

    daemon_threads = True

    def __init__(self, workbench: Workbench, port: int = 0) -> None:
        super().__init__((LOCALHOST, port), _Handler)
        self.workbench, self.lock = workbench, Lock()
        self.page_path = f"/{secrets.token_urlsafe(12)}/"
        self.url = f"http://{LOCALHOST}:{self.server_port}{self.page_path}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore connections that the browser closed."""


class _Handler(BaseHTTPRequestHandler):
    """GET of the page, and POST of a pipeline as JSON: ``{"pipeline": "cse,dce"}``."""

    server: WorkbenchServer

    def do_GET(self) -> None:
        """Send the page."""
        if self._check_address(""):
            self._send("text/html; charset=utf-8", self.server.workbench.page("served"))

    def do_POST(self) -> None:
        """Run a pipeline and send its result or its error."""
        if not self._check_address("run"):
            return
        size = int(self.headers.get("Content-Length") or 0)
        try:
            pipeline = json.loads(self.rfile.read(size))["pipeline"] if 0 < size <= MAX_REQUEST_BYTES else None
        except (ValueError, TypeError, KeyError):
            pipeline = None
        if not isinstance(pipeline, str):
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        with self.server.lock:
            reply = self.server.workbench.run(pipeline)
        self._send("application/json", json.dumps(reply, allow_nan=False))

    def _check_address(self, name: str) -> bool:
        """Whether the path (of the page, then ``name``) and the host are ours; otherwise sends "not found"."""
        hosts = {f"{host}:{self.server.server_port}" for host in (LOCALHOST, "localhost")}
        if self.path == self.server.page_path + name and self.headers.get("Host") in hosts:
            return True
        self.send_error(HTTPStatus.NOT_FOUND)
        return False

    def _send(self, content_type: str, text: str) -> None:
        content = text.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def serve_in_thread(bench: Workbench, port: int = 0) -> Iterator[WorkbenchServer]:
    """Serve a workbench in a thread, for the duration of a ``with`` block."""
    with WorkbenchServer(bench, port) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def serve(bench: Workbench, port: int = 0, on_start: Callable[[str], object] = print) -> None:
    """Serve a workbench on localhost until Ctrl-C; ``on_start`` is called with the address of the page.

    Raises ``OSError`` for a port in use.
    """
    with WorkbenchServer(bench, port) as server:
        on_start(server.url)
        server.serve_forever()
