/// The style of charts and of the tables with their numbers, in the colours of the page's variables: `--page`, `--ink`, `--muted`,
/// `--line`, `--soft`, `--accepted`, `--rejected` and `--failed`. ``Chart/patterns`` are in the page.
package enum ChartStyle {
    package static let text = """
        .chart { margin: .75rem 0 1rem; }
        .chart svg { display: block; overflow: visible; }
        #comparison ~ .chart { max-width: 48rem; }
        text { fill: var(--ink); font-size: 12.5px; }
        text.note { fill: var(--muted); font-size: 12px; }
        .accepted { fill: var(--accepted); } .rejected { fill: url(#hatch); } .failed { fill: url(#dots); }
        .plain { fill: var(--accepted); } .track { fill: var(--soft); }
        .base-rejected { fill: var(--rejected); } .base-failed { fill: var(--failed); }
        .gap { fill: var(--page); fill-opacity: .45; }
        .grid { stroke: var(--line); } .axis { stroke: var(--muted); }
        .ribbon { fill: var(--failed); fill-opacity: .3; }
        .ribbon.lost { fill: var(--rejected); fill-opacity: .85; }
        .ribbon.gained { fill: var(--accepted); fill-opacity: .85; }
        summary { cursor: pointer; }
        .numbers summary { color: var(--muted); font-size: .85rem; }
        .scroll { overflow-x: auto; max-width: 100%; margin: .25rem 0 .75rem; }
        table.data { border-collapse: collapse; font-size: .875rem; }
        table.data th, table.data td { padding: .3rem 1.25rem .3rem 0; text-align: left; vertical-align: top; }
        table.data .number { text-align: right; } table.data td.number { white-space: nowrap; }
        table.data thead th { color: var(--muted); font-weight: 600; overflow-wrap: normal; vertical-align: bottom; }
        table.data tbody th { font-weight: 400; min-width: 8rem; }
        table.data td.text { min-width: 10rem; }
        table.data th, table.data td { border-bottom: 1px solid var(--line); }
        """
}
