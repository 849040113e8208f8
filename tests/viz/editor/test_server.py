import http.client
import json

import pytest

from minigraph import Tensor
from tests.viz.explore.programs import small
from viz import serve, workbench
from viz.editor.server import LOCALHOST, MAX_REQUEST_BYTES, serve_in_thread

PIPELINE = json.dumps({"pipeline": "cse"})


@pytest.fixture(scope="module")
def server():
    with serve_in_thread(workbench(small, Tensor([1.0, 2.0]), pipeline="cse,dce", values=False)) as running:
        yield running


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection(LOCALHOST, server.server_port)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    return response.status, response.read().decode(), response.headers


def test_the_page_and_its_pipelines_are_served(server):
    status, page, headers = ask(server, "GET", server.page_path)
    assert status == 200 and "connect-src 'self'" in page and headers["Cache-Control"] == "no-store"
    status, response, _ = ask(server, "POST", server.page_path + "run", PIPELINE)
    assert status == 200 and json.loads(response)["data"]["workbench"]["steps"] == [["cse", 1]]


REFUSED = {
    "no token": ("GET", "/", None, {}, 404),
    "another path": ("GET", "{page}run", None, {}, 404),
    "a post without the token": ("POST", "/run", PIPELINE, {}, 404),
    "another host": ("POST", "{page}run", PIPELINE, {"Host": "evil.example"}, 404),
    "no pipeline": ("POST", "{page}run", "{}", {}, 400),
    "no text": ("POST", "{page}run", '{"pipeline": 3}', {}, 400),
    "no JSON": ("POST", "{page}run", "cse", {}, 400),
    "a long request": ("POST", "{page}run", json.dumps({"pipeline": "c" * MAX_REQUEST_BYTES}), {}, 400),
}


@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), REFUSED.values(), ids=REFUSED)
def test_other_requests_are_refused(server, method, path, body, headers, status):
    assert ask(server, method, path.format(page=server.page_path), body, **headers)[0] == status


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == LOCALHOST


def test_it_serves_until_it_is_interrupted():
    def interrupt(url):
        assert url.startswith(f"http://{LOCALHOST}:")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(workbench(small, Tensor([1.0, 2.0]), values=False), on_start=interrupt)
