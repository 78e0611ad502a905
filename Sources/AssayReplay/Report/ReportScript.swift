/// The script of reports: filters the list of records and shows a record's checks. It inserts data as text and loads
/// nothing.
enum ReportScript {
    static let text = #"""

        (() => {
          'use strict';
          const source = document.getElementById('data');
          if (!source) return;
          const data = JSON.parse(source.textContent);
          const byId = (id) => document.getElementById(id);
          const WORDS = { accepted: 'accepted', rejected: 'rejected', failed: 'not judged' };
          const STATUSES = { p: 'passed', f: 'failed', a: 'annotated', s: 'skipped' };
          const MARKS = { p: '✓', f: '✗', a: '!', s: '–' };

          const element = (name, className, ...children) => {
            const node = document.createElement(name);
            if (className) node.className = className;
            node.append(...children);
            return node;
          };
          const facts = (pairs) => {
            const list = element('dl', 'facts');
            for (const [name, value] of pairs) list.append(element('dt', '', name), element('dd', '', value));
            return list;
          };
          const number = (value) => value.toLocaleString('en-US');

          // The checks of a judgement: name, status letter and note.
          const checksOf = (judgement) => {
            if (judgement.layout === undefined) return [];
            return data.layouts[judgement.layout].map((name, index) => {
              const note = judgement.notes[index];
              return { name, status: judgement.statuses[index],
                note: typeof note === 'string' ? { because: note } : note || {} };
            });
          };
          const otherOf = (row) => (row.against === true ? row.judgement : row.against);
          const reasonOf = (judgement) => {
            const failed = checksOf(judgement).find((check) => check.status === 'f');
            return failed ? failed.name : judgement.code || '';
          };
          const placeOf = (row) => row.line === undefined ? `${row.file}: record ${row.number}` : `${row.file}:${row.line}`;
          const nameOf = (row) => row.id === undefined ? placeOf(row) : row.id;
          const sideOf = (row) => {
            const other = otherOf(row);
            if (!other) return '';
            const before = row.judgement.outcome === 'accepted';
            const after = other.outcome === 'accepted';
            if (before !== after) return before ? 'lost' : 'gained';
            return !before && reasonOf(row.judgement) !== reasonOf(other) ? 'reason' : '';
          };
          const textOf = (row) => {
            const parts = [nameOf(row), placeOf(row), row.kind, row.app, row.time].concat(row.subject || []);
            for (const judgement of [row.judgement, otherOf(row)]) {
              if (!judgement) continue;
              parts.push(judgement.code, judgement.message);
              for (const check of checksOf(judgement)) {
                if (check.status === 'f' || check.status === 'a') parts.push(check.name);
                parts.push(check.note.code, check.note.detail);
              }
            }
            return parts.filter(Boolean).join('\n').toLowerCase();
          };
          const list = byId('rows');
          const lines = [...list.children];
          const rows = data.rows.map((row, index) => ({ row, side: sideOf(row), text: null, line: lines[index] }));

          const hasCheck = (row, name) => [row.judgement, otherOf(row)].some((judgement) => judgement &&
            (judgement.code === name || checksOf(judgement).some((check) =>
              check.name === name && (check.status === 'f' || check.status === 'a'))));
          const matches = (entry, filter) => {
            const { row } = entry;
            if (filter.outcome === 'unmet' ? !row.unmet : filter.outcome && row.judgement.outcome !== filter.outcome) return false;
            if (filter.app && row.app !== filter.app) return false;
            if (filter.kind && row.kind !== filter.kind) return false;
            if (filter.side === 'changed' ? entry.side !== 'lost' && entry.side !== 'gained'
              : filter.side && entry.side !== filter.side) return false;
            if (filter.check && !hasCheck(row, filter.check)) return false;
            if (filter.words.length === 0) return true;
            if (entry.text === null) entry.text = textOf(row);
            return filter.words.every((word) => entry.text.includes(word));
          };

          const explanation = (check) => {
            const texts = data.checks[check.name];
            if (!texts) return element('div');
            if (check.status !== 'f' && check.status !== 'a') return element('p', 'muted', texts[0]);
            return facts([['Proves', texts[0]], ['Stops', texts[1]], ['Look at', texts[2]], ['Source', texts[3]]]);
          };
          const statusText = (check) => {
            let text = STATUSES[check.status];
            if (check.note.because === 'policy') text += ': the policy does not ask';
            else if (check.note.because === 'not-applicable') text += ': not applicable';
            else if (check.note.because) text += ` because of ${check.note.because}`;
            return text;
          };
          const checkItem = (check, other) => {
            const left = element('div', '',
              element('p', '', element('span', 'status', `${MARKS[check.status]} `), element('code', '', check.name)),
              element('p', 'muted', statusText(check)));
            if (check.note.detail) left.append(element('p', '', check.note.detail));
            if (other && (other.status !== check.status || other.note.detail !== check.note.detail)) {
              left.append(element('p', 'change', `under ${data.against}: ${MARKS[other.status]} ${statusText(other)}`));
              if (other.note.detail) left.append(element('p', '', other.note.detail));
            }
            const worst = other && other.status === 'f' ? other : check;
            return element('li', `check-${STATUSES[check.status]}`, left, explanation(worst));
          };
          const body = (row) => {
            const other = otherOf(row);
            const node = element('div', 'body');
            const pairs = [['Stands at', placeOf(row)]];
            if (row.id !== undefined) pairs.unshift(['Id', row.id]);
            if (row.time) pairs.push(['Time', row.time]);
            if (row.kind) pairs.push(['Kind', row.kind]);
            if (row.app) pairs.push(['App', row.app]);
            if (row.unmet) pairs.push(['Expected', row.unmet.join(', ')]);
            if (row.because) pairs.push(['Cause', row.because]);
            pairs.push([other ? `Under ${data.policy}` : 'Outcome', WORDS[row.judgement.outcome]]);
            if (row.judgement.code) pairs.push(['Why', `${row.judgement.code}: ${row.judgement.message}`]);
            if (other) pairs.push([`Under ${data.against}`, WORDS[other.outcome] +
              (other.code ? `: ${other.code}: ${other.message}` : '')]);
            node.append(facts(pairs));
            const others = other ? checksOf(other) : [];
            const checks = checksOf(row.judgement);
            const listed = checks.length ? checks : others;
            const items = listed.map((check) => checkItem(check, checks.length ? others.find((c) => c.name === check.name) : null));
            if (items.length) node.append(element('ol', 'checks', ...items));
            if (row.subject) {
              const told = [];
              for (let i = 0; i < row.subject.length; i += 2) told.push([row.subject[i], row.subject[i + 1]]);
              node.append(element('details', '', element('summary', '', 'Facts in the evidence'), facts(told)));
            }
            return node;
          };
          for (const { row, line } of rows) {
            const details = line.firstElementChild;
            details.addEventListener('toggle', () => {
              if (!details.open || details.dataset.isComplete) return;
              details.dataset.isComplete = 'true';
              details.querySelector('.body').replaceWith(body(row));
            });
          }

          const form = byId('filters');
          const value = (name) => { const input = byId(`filter-${name}`); return input ? input.value : ''; };
          const apply = () => {
            const filter = { words: value('text').toLowerCase().split(/\s+/).filter(Boolean) };
            for (const name of ['outcome', 'check', 'app', 'kind', 'side']) filter[name] = value(name);
            let found = 0;
            for (const entry of rows) {
              const isFound = matches(entry, filter);
              entry.line.hidden = !isFound;
              if (isFound) found += 1;
            }
            byId('shown').textContent =
              `${number(found)} of ${number(rows.length)} ${rows.length === 1 ? 'record' : 'records'}`;
          };
          let timer = 0;
          byId('filter-text').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(apply, 120); });
          // Not for the text, which has been applied by the time that its field is left for a record.
          form.addEventListener('change', (event) => { if (event.target.id !== 'filter-text') apply(); });
          form.addEventListener('submit', (event) => { event.preventDefault(); apply(); });
          form.addEventListener('reset', () => setTimeout(apply, 0));
          for (const button of document.querySelectorAll('[data-show-side]')) {
            button.addEventListener('click', () => {
              form.reset();
              byId('filter-side').value = button.dataset.showSide;
              setTimeout(() => { apply(); byId('records-title').scrollIntoView(); byId('filter-side').focus(); }, 0);
            });
          }
          // Closed tables are printed too.
          addEventListener('beforeprint', () => {
            for (const details of document.querySelectorAll('details.numbers:not([open])')) {
              details.open = true;
              details.dataset.isPrinted = 'true';
            }
          });
          addEventListener('afterprint', () => {
            for (const details of document.querySelectorAll('[data-is-printed]')) {
              details.open = false;
              delete details.dataset.isPrinted;
            }
          });
          form.hidden = false;
          apply();
        })();

        """#
}
