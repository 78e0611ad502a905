"""Opens every page of the console in Chromium: nothing for axe to find, no scrolling sideways, no message, no request elsewhere.

console.py CHROMIUM AXE ADDRESS TOKEN-FILE
"""

import json
import sys

from browser import Browser

PAGES = [
    "", "/app", "/refusals", "/subject", "/subject?kind=device&name=d1", "/policy", "/inspect", "/keys", "/audit",
    "/audit?verify=1", "/checks", "/checks?name=challenge-expired", "/checks?name=app-attest.attestation.nonce",
]
HOSTILE = '<script>alert(1)</script>\u202e" onload=x'
RULES = '["wcag2a","wcag2aa","wcag21a","wcag21aa","wcag22aa"]'
AXE = f"axe.run(document,{{runOnly:{RULES}}}).then(r=>JSON.stringify(r.violations.map(v=>[v.id,v.nodes.map(n=>n.html)])))"


def main():
    program, axe, address, token = sys.argv[1:]
    script = open(axe, encoding="utf-8").read() + ";0"
    found = []

    def check(page):
        for scheme in ["light", "dark"]:
            for width in [320, 1280]:
                browser.view(width, scheme)
                browser.run(script)
                violations = json.loads(browser.run(AXE))
                scrolled = browser.run("document.documentElement.scrollWidth")
                if violations or scrolled > width:
                    found.append((page, scheme, width, scrolled, violations))
        foreign = [url for url in browser.requests() if not url.startswith(address)]
        if foreign or browser.problems():
            found.append((page, foreign, browser.problems()))

    def submit(page, action, values, title):
        """Fills in a form of a page and sends it; the next page has the title."""
        browser.open(address + page)
        form = f"document.querySelector('form[action$={json.dumps(action)}]')"
        for name, value in values.items():
            browser.run(f"{form}.querySelector('[name={name}]').value = {json.dumps(value)}")
        browser.events.clear()
        browser.run(f"{form}.querySelector('button').click()")
        browser.wait_for("Page.loadEventFired")
        if not browser.run("document.title").startswith(title):
            found.append((page, action, browser.run("document.body.textContent")))
        check(page + " " + action)

    with Browser(program) as browser:
        browser.open(address + "/login")
        check("/login")
        submit("/login", "/login", {"token": open(token, encoding="utf-8").read().strip()}, "Overview")
        if browser.run("document.cookie"):
            found.append("a script can read the cookie")
        for page in PAGES:
            browser.open(address + page)
            check(page)
        submit("/subject?kind=device&name=d1", "/block", {"reason": HOSTILE}, "device d1")
        submit("/subject?kind=device&name=d1", "/unblock", {}, "device d1")
        checks = {"checks": "app-attest.attestation.receipt", "reason": "a test"}
        submit("/subject?kind=device&name=d1", "/allow", checks, "device d1")
        submit("/policy", "/check", {"policy": "version: 1\nfoo: [" + HOSTILE}, "Candidate")
        submit("/inspect", "/inspect", {"blob": HOSTILE}, "Inspection")
        submit("/inspect", "/inspect", {"blob": '{"kind":"app-attest.assertion","evidence":{}}'}, "Inspection")
        browser.open(address + "/checks")
        browser.run("document.querySelector('input[type=search]').focus()")
        browser.type("challenge-")
        if "rows" not in browser.run("document.getElementById('status').textContent"):
            found.append("the filter does nothing")
        submit("", "/logout", {}, "Sign in")
    for finding in found:
        print(finding)
    sys.exit(1 if found else 0)


main()
