"""Opens every page of the console in Chromium: nothing for axe to find, no scrolling sideways, no message, no request elsewhere; with
script and without it; and with two operators at once.

console.py CHROMIUM AXE ADDRESS TOKEN-FILE OTHER-TOKEN-FILE
"""

import json
import sys

from browser import Browser

PAGES = [
    "", "/app", "/app?name=shop", "/refusals", "/subject", "/subject?kind=device&name=d1", "/policy", "/inspect", "/keys",
    "/audit", "/audit?verify=1", "/captures", "/checks", "/checks?name=challenge-expired",
    "/checks?name=app-attest.attestation.nonce",
]
HOSTILE = '<script>alert(1)</script>\u202e" onload=x'
RULES = '["wcag2a","wcag2aa","wcag21a","wcag21aa","wcag22aa"]'
AXE = f"axe.run(document,{{runOnly:{RULES}}}).then(r=>JSON.stringify(r.violations.map(v=>[v.id,v.nodes.map(n=>n.html)])))"


class Visit:
    """What is found in the pages of a console."""

    def __init__(self, browser, axe, address):
        self.browser = browser
        self.axe = axe
        self.given = address
        self.found = []
        # A console leads from localhost to a name of its own.
        browser.open(address + "/login")
        self.address = browser.run("location.origin") + "/console"

    def check(self, page):
        """Checks the page that is open, in both colour schemes and widths."""
        browser = self.browser
        for scheme in ["light", "dark"]:
            for width in [320, 1280]:
                browser.view(width, scheme)
                # Closed details hide the tables of charts.
                browser.run("for (const details of document.querySelectorAll('details')) details.open = true; 0")
                browser.run(self.axe)
                violations = json.loads(browser.run(AXE))
                scrolled = browser.run("document.documentElement.scrollWidth")
                if violations or scrolled > width:
                    self.found.append((page, scheme, width, scrolled, violations))
        foreign = [url for url in browser.requests() if not url.startswith((self.address, self.given))]
        if foreign or browser.problems():
            self.found.append((page, foreign, browser.problems()))

    def fill(self, page, action, values):
        """Opens a page, and fills in one of its forms."""
        self.browser.open(self.address + page)
        return self.fill_open(action, values)

    def fill_open(self, action, values):
        form = f"document.querySelector('form[action$={json.dumps(action)}]')"
        for name, value in values.items():
            self.browser.run(f"{form}.querySelector('[name={name}]').value = {json.dumps(value)}")
        return form

    def send(self, form, title):
        """Sends a form; the next page has the title."""
        browser = self.browser
        browser.events.clear()
        browser.run(f"{form}.querySelector('button').click()")
        browser.wait_for("Page.loadEventFired")
        if not browser.run("document.title").startswith(title):
            self.found.append((title, browser.run("document.title"), browser.run("document.body.textContent")))

    def submit(self, page, action, values, title):
        """Fills in a form of a page and sends it; the next page has the title, and is checked."""
        self.send(self.fill(page, action, values), title)
        self.check(page + " " + action)

    def log_in(self, token):
        self.send(self.fill("/login", "/login", {"token": token}), "Overview")


def main():
    program, axe, address, token, other_token = sys.argv[1:]
    axe = open(axe, encoding="utf-8").read() + ";0"
    token, other_token = (open(file, encoding="utf-8").read().strip() for file in [token, other_token])
    with Browser(program) as browser:
        visit = Visit(browser, axe, address)
        with_script(visit, token)
        without_script(visit, token)
        two_operators(visit, token, other_token)
    for finding in visit.found:
        print(finding)
    sys.exit(1 if visit.found else 0)


def with_script(visit, token):
    browser = visit.browser
    visit.check("/login")
    visit.submit("/login", "/login", {"token": token}, "Overview")
    if browser.run("document.cookie"):
        visit.found.append("a script can read the cookie")
    for page in PAGES:
        browser.open(visit.address + page)
        visit.check(page)
    visit.submit("/subject?kind=device&name=d1", "/block", {"reason": HOSTILE}, "device d1")
    visit.submit("/subject?kind=device&name=d1", "/unblock", {}, "device d1")
    checks = {"checks": "app-attest.attestation.receipt", "reason": "a test"}
    visit.submit("/subject?kind=device&name=d1", "/allow", checks, "device d1")
    visit.submit("/policy", "/check", {"policy": "version: 1\nfoo: [" + HOSTILE}, "Candidate")
    browser.open(visit.address + "/policy")
    candidate = browser.run("document.querySelector('pre').textContent").replace("example.shop", "example.other")
    visit.submit("/policy", "/check", {"policy": candidate}, "Candidate")
    if "no longer accepted" not in browser.run("document.body.textContent"):
        visit.found.append("a candidate costs nothing")
    visit.submit("/policy", "/policy/reload", {}, "Policy")
    visit.submit("/inspect", "/inspect", {"blob": HOSTILE}, "Inspection")
    visit.submit("/inspect", "/inspect", {"blob": '{"kind":"app-attest.assertion","evidence":{}}'}, "Inspection")
    visit.submit("/keys", "/operators/add", {"name": "eve", "role": "viewer"}, "Operator eve")
    # The words of the refusal are of interest; the browser reports its status as a message.
    visit.send(visit.fill("/keys", "/operators/revoke", {"name": "eve", "confirm": "Eve"}), "Bad Request")
    visit.submit("/keys", "/operators/revoke", {"name": "eve", "confirm": "eve"}, "Keys and operators")
    browser.open(visit.address + "/checks")
    browser.run("document.querySelector('input[type=search]').focus()")
    browser.type("challenge-")
    if "rows" not in browser.run("document.getElementById('status').textContent"):
        visit.found.append("the filter does nothing")
    visit.submit("", "/logout", {}, "Sign in")


def without_script(visit, token):
    browser = visit.browser
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    browser.view(320, "light")
    visit.log_in(token)
    for page in PAGES:
        browser.open(visit.address + page)
        if browser.run("document.querySelector('main h1').textContent") in ["", "Sign in"]:
            visit.found.append((page, "without script", browser.run("document.body.textContent")))
        if browser.run("document.documentElement.scrollWidth") > 320 or browser.problems():
            visit.found.append((page, "without script", browser.problems()))
    visit.send(visit.fill("/subject?kind=device&name=d2", "/block", {"reason": "a test"}), "device d2")
    visit.send(visit.fill("/inspect", "/inspect", {"blob": "e30="}), "Inspection")
    visit.send(visit.fill("", "/logout", {}), "Sign in")
    browser.send("Emulation.setScriptExecutionDisabled", value=False)


def two_operators(visit, token, other_token):
    """In two tabs of a browser, and with a token that is revoked."""
    browser = visit.browser
    visit.log_in(token)
    visit.fill("/subject?kind=device&name=d3", "/block", {"reason": "a test"})
    first, second = browser.session, browser.open_tab()
    browser.view(1280, "light")
    visit.log_in(other_token)
    who = browser.run("document.querySelector('.who').textContent")
    browser.show_tab(first)
    # The form of the first tab is that of the first operator.
    visit.send(visit.fill_open("/block", {}), "Forbidden")
    if "another operator" not in browser.run("document.body.textContent"):
        visit.found.append(browser.run("document.body.textContent"))
    # Another name of the machine has sessions of its own.
    origin = visit.address
    visit.address = origin.replace("//", "//of-first.", 1)
    visit.log_in(token)
    browser.show_tab(second)
    visit.address = origin
    visit.fill("/subject?kind=device&name=d3", "/block", {"reason": "a test"})
    browser.show_tab(first)
    name = who.replace("Sign out", "").strip()
    visit.address = origin.replace("//", "//of-first.", 1)
    visit.send(visit.fill("/keys", "/operators/revoke", {"name": name, "confirm": name}), "Keys and operators")
    browser.show_tab(second)
    visit.send(visit.fill_open("/block", {}), "Sign in")
    if "has ended" not in browser.run("document.body.textContent"):
        visit.found.append(browser.run("document.body.textContent"))


main()
