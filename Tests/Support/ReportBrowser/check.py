"""Opens a report in headless Chromium and checks its documented properties.

    check.py CHROMIUM REPORT.html HOSTILE.html SCREENSHOTS

REPORT.html has a comparison and records of every outcome. Prints a line for each promise that is not kept, and ends with
status 1 if there is one. Screenshots at three widths in both colour schemes are left in a folder, to be looked at.
"""

import pathlib
import sys

from browser import Browser

WIDTHS = [320, 360, 1280]
SCHEMES = ["light", "dark"]

# Contrast (WCAG 2.2, 1.4.3) of all text against the background of the page.
CONTRAST = """
(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = light(parse(getComputedStyle(document.body).backgroundColor).slice(0, 3));
  const poor = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ['SCRIPT', 'title', 'desc', 'NOSCRIPT'].includes(node.nodeName)) continue;
    if (!node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const own = light(parse(node instanceof SVGElement ? style.fill : style.color).slice(0, 3));
    const ratio = (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
    if (ratio < 4.5) poor.add(`${node.nodeName}.${node.className.baseVal ?? node.className}: ${ratio.toFixed(2)}`);
  }
  return [...poor];
})()
"""

# Words broken across lines, except after a hyphen.
BROKEN_WORDS = r"""
(() => {
  const broken = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(parent.nodeName) || parent.closest('svg, #rows')) continue;
    if (!parent.checkVisibility()) continue;
    for (const word of node.data.matchAll(/[^\s-]+-?/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => Math.round(r.top))).size > 1) broken.add(word[0]);
    }
  }
  return [...broken];
})()
"""

# Chart labels that are truncated, outside the page, or overlapping.
POOR_LABELS = r"""
(() => {
  const poor = new Set();
  for (const chart of document.querySelectorAll('svg')) {
    const labels = [...chart.querySelectorAll('text')].map((label) => [label.textContent, label.getBoundingClientRect()]);
    labels.forEach(([text, box], index) => {
      if (text.includes('…') || box.left < -1 || box.right > document.documentElement.clientWidth + 1) poor.add(text);
      for (const [other, its] of labels.slice(index + 1)) {
        const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (across > 1 && down > 2) poor.add(text + ' on ' + other);
      }
    });
  }
  return [...poor];
})()
"""

SHOWN = "document.getElementById('shown').textContent"
LISTED = "document.querySelectorAll('#rows > li:not([hidden])').length"
FIRST = "document.querySelector('#rows > li:not([hidden]) summary')"


class Report:
    def __init__(self, browser):
        self.browser = browser
        self.broken = []

    def hold(self, promise, kept, found=""):
        if not kept:
            self.broken.append(f"{promise}: {found}")

    def filter(self, name, value):
        """Selects a value in a list, like a user."""
        self.browser.run(
            f"(() => {{ const list = document.getElementById('filter-{name}'); list.value = '{value}';"
            "list.dispatchEvent(new Event('change', { bubbles: true })); return list.value; })()")

    def count(self):
        return int(self.browser.run(SHOWN).split(" ")[0].replace(",", ""))

    def settle(self):
        """Waits 300 ms, because the page reacts to typing after a pause."""
        self.browser.run("new Promise((done) => setTimeout(done, 300))")

    def clear(self):
        self.browser.run("document.querySelector('#filters button[type=reset]').click()")
        self.settle()

    def check_filters(self):
        browser = self.browser
        all_rows = self.count()
        self.hold("all records are found at first", all_rows > 100, all_rows)
        self.hold("all of them are listed", browser.run(LISTED) == all_rows, browser.run(LISTED))
        self.hold("the count is announced", browser.run(
            "document.getElementById('shown').getAttribute('aria-live')") == "polite")

        counts = {}
        for outcome in ["accepted", "rejected", "failed", "unmet"]:
            self.filter("outcome", outcome)
            counts[outcome] = self.count()
            words = {"failed": "not judged", "unmet": None}.get(outcome, outcome)
            wrong = browser.run(
                f"[...document.querySelectorAll('#rows > li:not([hidden]) .outcome')]"
                f".filter((n) => n.textContent !== '{words}').length")
            self.hold(f"filtering by {outcome} lists what it finds", browser.run(LISTED) == counts[outcome])
            self.hold(f"filtering by {outcome} lists nothing else", words is None or wrong == 0, wrong)
            self.hold(f"filtering by {outcome} finds some and not all", 0 < counts[outcome] < all_rows, counts)
        self.hold(
            "the outcomes are all records",
            counts["accepted"] + counts["rejected"] + counts["failed"] == all_rows, (counts, all_rows))

        self.clear()
        self.hold("clearing finds all again", self.count() == all_rows, self.count())
        checks = browser.run("[...document.querySelectorAll('#filter-check option')].map((o) => o.value).filter(Boolean)")
        self.hold("there are checks to filter by", len(checks) > 3, checks)
        check = next(name for name in checks if "." in name)
        self.filter("check", check)
        self.hold("filtering by check finds some and not all", 0 < self.count() < all_rows, (check, self.count()))
        for name in ["app", "kind", "side"]:
            self.clear()
            value = browser.run(f"document.querySelector('#filter-{name} option:nth-child(2)').value")
            self.filter(name, value)
            self.hold(f"filtering by {name} finds some and not all", 0 < self.count() < all_rows, (value, self.count()))

        self.clear()
        browser.run("document.getElementById('filter-text').focus()")
        browser.type("record-117")
        self.settle()
        names = browser.run("[...document.querySelectorAll('#rows > li:not([hidden]) .name')].map((n) => n.textContent)")
        self.hold("filtering by text finds what has it", names and all("record-117" in name for name in names), names)
        browser.type(" no such thing")
        self.settle()
        self.hold("a text that nothing has finds nothing", self.count() == 0, self.count())
        self.clear()

        browser.run("document.querySelector('[data-show-side]').click()")
        self.settle()
        self.hold("the button shows who changes sides", browser.run(
            "document.getElementById('filter-side').value") == "changed" and 0 < self.count() < all_rows, self.count())
        self.clear()

    def check_rows(self):
        browser = self.browser
        self.filter("outcome", "rejected")
        browser.run("document.getElementById('filter-text').focus()")
        # With the keyboard: move to the first record, past the other fields.
        for _ in range(30):
            browser.press("Tab", 9)
            if browser.run(f"document.activeElement === {FIRST}"):
                break
        self.hold("a record is reached by keyboard", browser.run(f"document.activeElement === {FIRST}"))
        browser.press("Enter", 13, "\r")
        self.settle()
        self.hold("it opens by keyboard", browser.run(f"{FIRST}.parentElement.open"))
        text = browser.run("document.querySelector('#rows details[open] .body').innerText") or ""
        for word in ["Proves", "Stops", "Look at", "Source", "failed", "Stands at"]:
            self.hold(f"an opened record says {word}", word in text, text[:400])
        self.hold("the checks are listed", browser.run(
            "document.querySelectorAll('#rows .body .checks > li').length") > 5)

    def check_contents(self):
        browser = self.browser
        links = browser.run("[...document.querySelectorAll('nav a')].map((n) => n.hash)")
        headings = browser.run("[...document.querySelectorAll('main section h2')].map((n) => '#' + n.id).slice(1)")
        self.hold("the contents name every section after the answer", len(links) > 3 and links == headings, (links, headings))
        browser.run("[...document.querySelectorAll('nav a')].at(-1).click()")
        self.hold("a link of the contents leads to its section", browser.run(
            "Math.abs(document.querySelector(location.hash).getBoundingClientRect().top) < innerHeight"))

    def check_tables(self):
        browser = self.browser
        poor = browser.run(
            "[...document.querySelectorAll('table')].map((n) => n.parentElement).filter((n) => n.tabIndex !== 0"
            " || n.getAttribute('role') !== 'region' || !n.getAttribute('aria-label')).length")
        self.hold("every table is in a named region that the keyboard reaches", poor == 0, poor)

    def check_print(self, url):
        """All rows of all tables are printed, also those of closed numbers."""
        browser = self.browser
        browser.open(url)
        hidden = browser.run(
            "[...document.querySelectorAll('table')].filter((n) => !n.checkVisibility({ contentVisibilityAuto: false })"
            " || n.getBoundingClientRect().height === 0 || n.parentElement.scrollHeight > n.parentElement.clientHeight + 1).length")
        self.hold("every table is printed with all of its rows", hidden == 0, hidden)
        overflow = browser.run("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
        self.hold("nothing is wider than the paper", overflow <= 0, overflow)
        self.hold("every record is printed", browser.run(
            "[...document.querySelectorAll('#rows > li')].every((n) => n.getBoundingClientRect().height > 0)"))

    def check_accessibility(self):
        browser = self.browser
        unnamed = browser.run(
            "[...document.querySelectorAll('input, select, button')].filter((n) => !(n.labels?.length || n.textContent))"
            ".map((n) => n.outerHTML)")
        self.hold("every field has a label", unnamed == [], unnamed)
        nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
        images = [n for n in nodes if n.get("role", {}).get("value") in ("image", "img") and not n.get("ignored")]
        nameless = [n for n in images if not n.get("name", {}).get("value") or not n.get("description", {}).get("value")
                    and " " not in n.get("name", {}).get("value")]
        self.hold("every chart has a name for screen readers", len(images) > 5 and not nameless, nameless[:2])
        headings = browser.run("[...document.querySelectorAll('h1,h2,h3')].map((n) => Number(n.nodeName[1]))")
        jumps = [pair for pair in zip(headings, headings[1:]) if pair[1] > pair[0] + 1]
        self.hold("headings leave no level out", headings[:1] == [1] and not jumps, headings)
        tables = browser.run("document.querySelectorAll('figure .numbers table').length")
        figures = browser.run("document.querySelectorAll('figure').length")
        self.hold("every chart has its numbers as a table", tables == figures > 5, (tables, figures))

    def check_quiet(self, url):
        self.hold("the console is silent", self.browser.problems() == [], self.browser.problems()[:5])
        others = [r for r in self.browser.requests() if r != url and r != "data:,"]
        self.hold("nothing is asked of the network", others == [], others)


def main(chromium, page, hostile, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    url = pathlib.Path(page).resolve().as_uri()
    with Browser(chromium) as browser:
        report = Report(browser)
        for width in WIDTHS:
            for scheme in SCHEMES:
                browser.view(width, scheme)
                browser.open(url)
                overflow = browser.run("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
                report.hold(f"nothing is wider than {width}", overflow <= 0, overflow)
                broken = browser.run(BROKEN_WORDS)
                report.hold(f"no word is broken at {width}", broken == [], broken)
                poor = browser.run(POOR_LABELS)
                report.hold(f"labels are whole at {width}", poor == [], poor)
                browser.run("document.querySelectorAll('#rows details')[0].open = true")
                browser.run("document.querySelectorAll('section details:not(#rows *), #rows > li:nth-child(50n) details')"
                    ".forEach((d, i) => { if (i % 4 === 0) d.open = true; })")
                report.settle()
                overflow = browser.run("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
                report.hold(f"nothing is wider than {width} when opened", overflow <= 0, overflow)
                poor = browser.run(CONTRAST)
                report.hold(f"text has contrast in {scheme}", poor == [], poor)
                report.check_quiet(url)
                browser.open(url)
                browser.screenshot(folder / f"report-{width}-{scheme}.png")
        browser.view(1280, "light")
        browser.open(url)
        report.check_accessibility()
        report.check_contents()
        report.check_tables()
        report.check_filters()
        report.clear()
        report.check_rows()
        browser.screenshot(folder / "opened-1280.png")
        report.check_quiet(url)
        browser.view(360, "dark")
        browser.screenshot(folder / "opened-360.png")
        browser.view(800, "light", media="print")
        report.check_print(url)
        browser.screenshot(folder / "print.png")

        url = pathlib.Path(hostile).resolve().as_uri()
        browser.view(320, "light")
        browser.open(url)
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        report.settle()
        report.hold("no markup comes from evidence", browser.run("document.querySelectorAll('img').length") == 0)
        report.hold("hostile text stands as text", "</script><img" in browser.run("document.body.innerText"))
        overflow = browser.run("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
        report.hold("hostile text is not wider than the page", overflow <= 0, overflow)
        report.check_quiet(url)
        browser.screenshot(folder / "hostile-320.png")
    for line in report.broken:
        print(line)
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
