"""A page of the explorer that is open in Chromium, with everything that it says and requests."""

from pathlib import Path


class Session:
    """An open page with its console messages, errors, requests and dialogs."""

    def __init__(self, page, path, address=""):
        self.page, self.messages, self.requests, self.dialogs = page, [], [], []
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.goto(f"{path if '://' in str(path) else f'file://{path}'}{address}")
        page.wait_for_selector("html[data-ready]", state="attached")
        page.wait_for_selector(".picture .boxes")
        page.locator(".picture").first.focus()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.wait_for_redraw()

    def search(self, words):
        self.press("/")
        self.page.keyboard.type(words)

    def wait_for_redraw(self):
        """Wait for two animation frames, independent of the load of the machine."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def click(self, selector):
        """Click an element of the drawing, even if it is outside of the viewport."""
        for event in ("pointerdown", "pointerup"):
            self.page.locator(selector).first.dispatch_event(event)

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def export(self, kind):
        """The content of an exported file."""
        with self.page.expect_download() as download:
            self.page.get_by_label("export").select_option(kind)
        return download.value.path().read_bytes()

    def boxes(self, selector=""):
        return self.page.locator(f".pane.active .box{selector}").count()

    def visible_boxes(self):
        """All boxes and frames of the picture; of a large one, those close to the camera exist as elements."""
        label = self.page.locator(".pane.active .picture").get_attribute("aria-label")
        return int(label.split(": ")[1].split(" boxes")[0].replace(",", ""))

    def check(self):
        """No messages, errors or dialogs, and no requests except for the page itself and its own data."""
        assert self.messages == [], self.messages
        assert self.dialogs == []
        assert all(url.startswith(("file:", "data:", "blob:")) for url in self.requests)
        assert sum(url.startswith("file:") for url in self.requests) == 1


def visits(chromium, folder):
    """The body of a fixture: a function that opens a page at a path or of an explorer; in the end all are checked."""
    sessions = []

    def open_page(source, address="", **options):
        path = source if isinstance(source, Path) else source.save(folder / "page.html")
        sessions.append(Session(chromium.new_page(**options), path, address))
        return sessions[-1]

    yield open_page
    for session in sessions:
        session.check()
        session.page.close()
