// The files of the status page: no inline script or style, so that a strict Content-Security-Policy holds.
import { runStatusPage } from './page-script';

const COUNTS = [
  ['waiting', 'Waiting'],
  ['active', 'Active'],
  ['delayed', 'Delayed'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
] as const;

const table = (id: string, label: string, columns: readonly string[]): string => `
<div class="table" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody id="${id}"></tbody></table></div>`;

export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rasterloom farm</title>
<link rel="stylesheet" href="page.css">
<script src="page.js" defer></script>
<main>
<header>
<h1>Queue <span id="queue">…</span></h1>
<p id="state" role="status">Connecting</p>
</header>
<section aria-labelledby="jobs-title">
<h2 id="jobs-title">Jobs</h2>
<dl>
${COUNTS.map(([name, label]) => `<div class="${name}"><dt>${label}</dt><dd id="count-${name}">–</dd></div>`).join('\n')}
<div><dt>Jobs per second</dt><dd id="speed">–</dd></div>
<div><dt>Oldest waiting job</dt><dd id="age">–</dd></div>
</dl>
</section>
<section id="flows-section" aria-labelledby="flows-title" hidden>
<h2 id="flows-title">Animations in chunks</h2>
${table('flows', 'Animations in chunks', ['Animation', 'Chunks drawn'])}
</section>
<section aria-labelledby="pictures-title">
<h2 id="pictures-title">New pictures</h2>
<p id="no-pictures">None yet.</p>
<ul id="pictures"></ul>
</section>
<section aria-labelledby="failed-title">
<h2 id="failed-title">Failed jobs</h2>
<p id="no-failed">None.</p>
${table('failed', 'Failed jobs', ['Job', 'Code', 'Reason', 'Tries', 'Time'])}
</section>
<section aria-labelledby="workers-title">
<h2 id="workers-title">Workers</h2>
<p id="no-workers">None is running. Start one with <code>rasterloom farm work</code>.</p>
${table('workers', 'Workers', ['Worker', 'Host', 'Version', 'Busy', 'Done', 'Failed'])}
</section>
</main>
`;

/** Colours have a contrast of at least 4.5 to 1 in both schemes. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1b1f24; --dim: #57606a; --page: #f6f8fa; --card: #fff; --line: #d0d7de; --link: #0550ae; --bad: #b01020;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --dim: #9ba5b0; --page: #0d1117; --card: #161b22; --line: #30363d; --link: #79b8ff; --bad: #ff8b85;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1 { margin: 0; font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; }
p { margin: .25rem 0; color: var(--dim); overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .5rem; margin: 0; }
dl div { padding: .5rem .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
dt { color: var(--dim); font-size: .875rem; }
dd { margin: 0; font-size: 1.375rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
.failed dd { color: var(--bad); }
.table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.table:has(tbody:empty) { display: none; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .375rem .75rem; text-align: left; vertical-align: top; overflow-wrap: break-word; }
td:nth-child(3), tbody th { min-width: 9rem; overflow-wrap: anywhere; }
thead th { color: var(--dim); white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .5rem; margin: 0; padding: 0; }
li { list-style: none; }
li a { display: block; color: var(--link); font-size: .875rem; overflow-wrap: anywhere; }
img { display: block; width: 100%; aspect-ratio: 1; object-fit: contain; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`;

export const SCRIPT = `(${runStatusPage.toString()})();\n`;
