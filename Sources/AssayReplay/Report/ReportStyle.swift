/// The style sheet of reports, in the Okabe-Ito palette for all kinds of colour vision, with a contrast of 4.5 for text and 3 for
/// shapes. Patterns also distinguish outcomes.
enum ReportStyle {
    static let text = """

        :root {
          --page: #fdfdfc; --ink: #1b1d20; --muted: #565c64; --line: #d5d8dc; --soft: #f1f2f3;
          --accepted: #0072b2; --rejected: #b84a00; --failed: #6e757d; --warning: #8a3800; --focus: #0072b2;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14161a; --ink: #e7e9ec; --muted: #a5acb5; --line: #353a42; --soft: #1e2127;
            --accepted: #56b4e9; --rejected: #ee8a4a; --failed: #939ba5; --warning: #f0a36e; --focus: #56b4e9;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 68rem; background: var(--page); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums; overflow-wrap: break-word;
        }
        h1 { font-size: 1.15rem; font-weight: 600; margin: 0 0 1.5rem; color: var(--muted); }
        h2 { font-size: 1.35rem; line-height: 1.3; font-weight: 650; margin: 0 0 .5rem; }
        h3 { font-size: 1rem; font-weight: 650; margin: 1.75rem 0 .25rem; }
        p { margin: .25rem 0 .75rem; max-width: 44rem; }
        section { margin: 0 0 3.5rem; }
        a { color: var(--accepted); }
        .contents { margin: 0 0 3rem; } .contents h2 { font-size: 1rem; } .contents ol { margin: 0; padding-left: 1.5rem; }
        code, .mono { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; font-size: .875em; }
        small, .muted, footer, .legend { color: var(--muted); }
        .muted, footer, .legend { font-size: .9rem; }
        .warning { color: var(--warning); }
        .patterns { position: absolute; }
        .cards { display: flex; flex-wrap: wrap; gap: .5rem 3rem; margin: 1.25rem 0 1rem; }
        .cards dt { color: var(--muted); font-size: .9rem; }
        .cards dd { margin: 0; font-size: 1.9rem; line-height: 1.2; font-weight: 300; }
        .cards small { font-size: .95rem; font-weight: 400; }
        .swatch { margin: 0 .35rem 0 0; vertical-align: -1px; }
        .legend .swatch:not(:first-child) { margin-left: 1rem; }
        .notes { padding: 0; list-style: none; margin: 1rem 0 0; }
        .notes li { margin: .15rem 0; }
        .cells { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem 3rem; }
        .cell { min-width: 0; }
        .cell h3 { margin-top: .75rem; }
        \(ChartStyle.text)
        .facts { display: grid; grid-template-columns: minmax(4.5rem, max-content) minmax(0, 1fr); gap: .2rem 1rem; margin: .5rem 0 1rem; }
        .facts dt { color: var(--muted); } .facts dd { margin: 0; max-width: 44rem; min-width: 0; }
        section > details, .more > details { border-bottom: 1px solid var(--line); padding: .35rem 0; }
        #filters { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; margin: 1rem 0; }
        #filters[hidden] { display: none; }
        #filters label { display: flex; flex-direction: column; font-size: .85rem; color: var(--muted); min-width: 0; flex: 1 1 9rem; }
        #filters label.wide { flex: 1 1 100%; }
        input, select, button {
          font: inherit; font-size: 1rem; color: var(--ink); background: var(--page); border: 1px solid var(--muted);
          border-radius: 4px; padding: .35rem .5rem; max-width: 100%; min-width: 0;
        }
        button { cursor: pointer; padding: .35rem .9rem; }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        #rows { list-style: none; padding: 0; margin: .5rem 0; border-top: 1px solid var(--line); }
        #rows > li { border-bottom: 1px solid var(--line); } #rows > li[hidden] { display: none; }
        #rows > li > details > summary {
          display: grid; grid-template-columns: 7.5rem minmax(0, 3fr) minmax(0, 3fr) 11.5rem; gap: 0 1rem; padding: .45rem 0;
          list-style: none; align-items: baseline; font-size: .9rem;
        }
        #rows > li > details > summary::-webkit-details-marker { display: none; }
        .outcome { font-weight: 600; } .outcome::before { content: "✓ "; }
        .is-accepted { color: var(--accepted); }
        .is-rejected { color: var(--rejected); } .is-rejected::before { content: "× "; }
        .is-failed { color: var(--muted); } .is-failed::before { content: "? "; }
        .change { color: var(--warning); font-weight: 600; }
        .detail { display: block; }
        .when { color: var(--muted); text-align: right; }
        .body { padding: .25rem 0 1.5rem; font-size: .9rem; }
        .checks { list-style: none; margin: .75rem 0; padding: 0; }
        .checks > li {
          display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .25rem 2rem; padding: .45rem 0 .45rem .75rem;
          border-left: 3px solid var(--line);
        }
        .checks > .check-failed { border-color: var(--rejected); } .checks > .check-annotated { border-color: var(--warning); }
        .checks > .check-passed { border-color: var(--accepted); }
        .checks p { margin: .1rem 0; }
        .checks .facts { margin: 0; grid-template-columns: 4.5rem minmax(0, 1fr); }
        .status { font-weight: 600; }
        @media (max-width: 44rem) {
          #rows > li > details > summary { grid-template-columns: minmax(0, 1fr) auto; }
          #rows > li > details > summary .name { grid-column: 1 / -1; grid-row: 1; }
          #rows > li > details > summary .why { grid-column: 1 / -1; }
          .checks > li { grid-template-columns: minmax(0, 1fr); }
          table.data th, table.data td { padding-right: .75rem; }
          table.data tbody th { min-width: 6.5rem; } table.data td.text { min-width: 6rem; }
          .cards { gap: .5rem 2rem; } .cards dd { font-size: 1.5rem; }
          .facts { grid-template-columns: minmax(0, 1fr); } .facts dd { margin-bottom: .4rem; }
          .checks .facts { grid-template-columns: minmax(0, 1fr); }
        }
        @media print {
          :root { --page: #fff; --ink: #000; --muted: #444; --line: #bbb; --soft: #eee; }
          body { max-width: none; padding: 0; font-size: 10pt; }
          .screen { display: none; } .scroll { overflow: visible; }
          table.data th, table.data td, table.data tbody th, table.data td.text { min-width: 0; overflow-wrap: anywhere; }
          details.numbers::details-content { content-visibility: visible; display: block; block-size: auto; }
          section, figure, .cell, #rows > li { break-inside: avoid; }
          #records-title, section:has(#records-title), section:has(#reasons) { break-inside: auto; }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }

        """
}
