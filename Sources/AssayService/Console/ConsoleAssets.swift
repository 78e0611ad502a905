import AssayReplay

/// The style sheet, the script and the icon of the console.
enum ConsoleAssets {
    /// Colours with a contrast of 4.5 for text, and of 3 for shapes, in both schemes.
    static let style = """
        :root { color-scheme: light dark; --page: #fdfdfc; --ink: #1b1d20; --muted: #565c64; --line: #d5d8dc; --soft: #f1f2f3;
          --accepted: #0072b2; --rejected: #b84a00; --failed: #6e757d; --link: #005a91; }
        @media (prefers-color-scheme: dark) { :root { --page: #14161a; --ink: #e7e9ec; --muted: #a5acb5; --line: #353a42;
          --soft: #1e2127; --accepted: #56b4e9; --rejected: #ee8a4a; --failed: #939ba5; --link: #7cc4ee; } }
        \(ChartStyle.text)
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 0 1rem 4rem; max-width: 72rem; background: var(--page); color: var(--ink);
          font: 1rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
        header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; justify-content: space-between;
          border-bottom: 1px solid var(--line); padding: .5rem 0; }
        .name { font-weight: 650; margin: 0; }
        .who { display: flex; gap: .75rem; align-items: center; } .who form { margin: 0; }
        nav { flex-basis: 100%; } nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0; padding: 0; list-style: none; }
        nav a { display: inline-block; padding: .3rem 0; } nav a[aria-current] { color: var(--ink); font-weight: 650; }
        a { color: var(--link); } main:focus { outline: none; }
        main li, main td a { line-height: 1.6; } main p a, main li a { text-decoration: underline; }
        td a, th a { display: inline-block; min-height: 24px; min-width: 24px; }
        .skip { position: absolute; left: -100vw; } .skip:focus { left: 1rem; background: var(--page); padding: .5rem; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
        .patterns { position: absolute; } .legend { color: var(--muted); font-size: .9rem; } .chart { max-width: 48rem; }
        .swatch { display: inline-block; margin: 0 .35rem 0 0; vertical-align: -1px; } .legend .swatch:not(:first-child) { margin-left: 1rem; }
        code, pre, textarea { font-family: ui-monospace, monospace; font-size: .875rem; }
        pre { white-space: pre-wrap; background: var(--soft); padding: .75rem; margin: .5rem 0; }
        small, .muted, dt { color: var(--muted); font-size: .9rem; }
        dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; } dl div { min-width: 8rem; max-width: 100%; } dd { margin: 0; }
        .scroll { overflow-x: auto; max-width: 100%; overflow-wrap: normal; }
        table { border-collapse: collapse; font-size: .9rem; }
        th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line); max-width: 28rem; }
        th { font-weight: 600; } td, tbody th { overflow-wrap: anywhere; min-width: 5rem; } tbody th { font-weight: 400; }
        label { display: block; margin: .5rem 0; } input, textarea, select { display: block; width: 100%; max-width: 40rem; }
        textarea { max-width: none; } [hidden] { display: none !important; }
        input, textarea, select, button { font: inherit; color: var(--ink); background: var(--page); border: 1px solid var(--muted);
          border-radius: 4px; padding: .35rem .5rem; min-height: 2rem; }
        button { cursor: pointer; padding: .35rem .9rem; } fieldset { border: 1px solid var(--line); margin: 1rem 0; min-width: 0; }
        :focus-visible { outline: 3px solid var(--accepted); outline-offset: 2px; }
        .good { color: var(--accepted); } .bad { color: var(--rejected); } .bad, .good { font-weight: 600; }
        .notice { border-left: 4px solid var(--accepted); padding-left: .75rem; } .alert { border-left: 4px solid var(--rejected); padding-left: .75rem; }
        .shares { display: block; width: 100%; max-width: 40rem; height: 1.25rem; } .part0 { fill: var(--accepted); }
        .part1 { fill: var(--muted); } .part2 { fill: var(--rejected); } .part3 { fill: var(--ink); }
        .tree { padding-left: 1rem; } summary { cursor: pointer; min-height: 24px; }
        @media (forced-colors: active) { svg * { forced-color-adjust: none; } }

        """

    /// Refreshes a page, filters tables, and says when a session ends. All of it is possible without.
    static let script = """
        const status = document.getElementById("status");
        const element = (name, text) => { const made = document.createElement(name); made.textContent = text; return made; };

        const name = (details) => details.querySelector("summary").textContent;
        const searches = (main) => [...main.querySelectorAll("input[type=search]")];

        function filters(main) {
          for (const region of main.querySelectorAll(".scroll")) {
            const rows = [...region.querySelectorAll("tbody tr")];
            if (rows.length < 8) continue;
            const label = element("label", "Show rows with ");
            const input = document.createElement("input");
            input.type = "search";
            input.addEventListener("input", () => {
              const wanted = input.value.toLowerCase();
              for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
              status.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
            });
            label.append(input);
            region.before(label);
          }
        }

        function load() {
          const request = new XMLHttpRequest();
          request.open("GET", location.href);
          request.responseType = "document";
          request.addEventListener("load", () => {
            const fresh = request.response?.querySelector("main[data-refresh]");
            const old = document.querySelector("main");
            if (request.status !== 200 || !fresh) { status.textContent = "The page could not be refreshed."; return; }
            if (old.contains(document.activeElement) && document.activeElement !== old) return;
            const open = new Set([...old.querySelectorAll("details[open]")].map(name));
            const wanted = searches(old).map((input) => input.value);
            old.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
            for (const details of old.querySelectorAll("details")) if (open.has(name(details))) details.open = true;
            filters(old);
            searches(old).forEach((input, index) => {
              if (!wanted[index]) return;
              input.value = wanted[index];
              input.dispatchEvent(new Event("input"));
            });
          });
          request.send();
        }

        const main = document.querySelector("main");
        filters(main);
        const seconds = Number(main.dataset.refresh);
        if (seconds > 0) {
          const button = element("button", "Pause refresh");
          button.type = "button";
          let isPaused = false;
          button.addEventListener("click", () => {
            isPaused = !isPaused;
            button.textContent = isPaused ? "Refresh again" : "Pause refresh";
          });
          main.before(button);
          setInterval(() => { if (!isPaused && document.visibilityState === "visible") load(); }, seconds * 1000);
        }
        const idle = Number(document.body.dataset.idle);
        if (idle > 0) {
          setTimeout(() => { status.textContent = "The session ends in two minutes unless you open a page."; }, (idle - 120) * 1000);
        }

        """

    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0072b2" d="M8 1l6 2v5c0 4-3 6-6 7-3-1-6-3-6-7V3z"/></svg>

        """
}
