// Renders the sections as one self-contained page, and the picture of the README. Charts are rendered to SVG without a
// browser.
import { init, setPlatformAPI } from 'echarts';
import { WIDTH } from './draw.mjs';

const escape = (text) =>
  String(text).replace(
    /[&<>"]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]
  );

// Text cannot be measured here. The width of the widest common font avoids overlaps with all fonts.
setPlatformAPI({
  measureText: (text, font) => ({ width: text.length * 0.58 * (parseFloat(/([\d.]+)px/.exec(font)?.[1]) || 12) }),
});

export function draw({ option, width, height }) {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

const table = ({ head, rows }) =>
  `<div class="scroll"><table><thead><tr>${head.map((cell) => `<th>${escape(cell)}</th>`).join('')}</tr>`
  + '</thead><tbody>'
  + `${rows.map((row) => `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join('')}</tr>`).join('')}</tbody>`
  + '</table></div>';
const numbers = (content) => (content ? `<details><summary>The numbers</summary>${table(content)}</details>` : '');
const measured = (machine) =>
  machine
    ? `Measured ${escape(machine.date)} at commit ${escape(machine.commit)}: ${escape(machine.cpu)}, `
      + `${escape(machine.cores)} cores, Node ${escape(machine.node)}.`
    : '';

function chartOf({ title, note, table: content, ...drawing }) {
  return (
    `<figure><h3>${escape(title)}</h3>${draw(drawing)}<figcaption>${escape(note)}</figcaption>`
    + `${numbers(content)}</figure>`
  );
}

const idOf = ({ file }) => `part-${file}`;
function sectionOf(section) {
  const { title, command, charts, note, machine } = section;
  const empty = !charts.length && !note;
  const body = empty
    ? `<p class="missing">Not measured yet: <code>${escape(command)}</code></p>`
    : charts.map(chartOf).join('')
      + `${charts.some((chart) => chart.note === note) || !note ? '' : `<p>${escape(note)}</p>`}<p class="source">`
      + `${measured(machine)} Again: <code>${escape(command)}</code></p>`;
  return `<section id="${idOf(section)}"><h2>${escape(title)}</h2>${body}</section>`;
}

function overview(sections) {
  const all = sections.flatMap(({ limits, ...section }) => limits.map((limit) => ({ ...limit, section })));
  const missed = all.filter(({ reached }) => !reached);
  if (!all.length) return '<p>No limit has been measured yet.</p>';
  const rows = missed
    .map(
      ({ what, value, limit, section }) =>
        `<tr><td><a href="#${idOf(section)}">${escape(what)}</a></td><td>${escape(value)}</td><td>`
        + `${escape(limit)}</td></tr>`
    )
    .join('');
  const list = missed.length
    ? '<table class="limits"><thead><tr><th>not reached</th><th>measured</th><th>limit</th></tr></thead><tbody>'
      + `${rows}</tbody></table>`
    : '';
  const every = {
    head: ['limit on', 'measured', 'limit', ''],
    rows: all.map(({ what, value, limit, reached }) => [what, value, limit, reached ? 'reached' : 'NOT REACHED']),
  };
  return (
    '<p class="verdict"><strong>'
    + `${all.length - missed.length} of ${all.length}</strong> limits that the project sets itself are reached.</p>`
    + `${missed.length > 12 ? `<details><summary>The ${missed.length} that are not</summary>${list}</details>` : list}`
    + `<details><summary>All limits</summary>${table(every)}</details>`
  );
}

const STYLE = `
  :root { color-scheme: light; } * { box-sizing: border-box; }
  body { margin: 0 auto; padding: 24px 20px 60px; max-width: ${WIDTH + 40}px; background: #fff; color: #1f2933;
    font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
  h1 { font-size: 28px; margin: 0 0 4px; }
  h2 { font-size: 21px; margin: 44px 0 8px; padding-top: 14px; border-top: 2px solid #e4e7eb; }
  h3 { font-size: 16px; margin: 18px 0 10px; }
  figure { margin: 0 0 22px; } figure svg { display: block; max-width: 100%; height: auto; }
  figcaption, .source, .machine { color: #52606d; font-size: 13.5px; margin-top: 6px; }
  nav a { margin-right: 18px; white-space: nowrap; } a { color: #0063a0; }
  table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
  th, td { padding: 3px 12px 3px 0; text-align: right; border-bottom: 1px solid #e4e7eb; vertical-align: top; }
  th:first-child, td:first-child { text-align: left; }
  .scroll { overflow-x: auto; } summary { cursor: pointer; color: #0063a0; margin: 6px 0; }
  code { background: #f1f3f5; padding: 1px 5px; border-radius: 3px; }
  .verdict { font-size: 17px; } .missing { background: #fff7e6; border-left: 4px solid #e69f00; padding: 10px 14px; }`;

/** `sections`: from sections.mjs. */
export function page(sections) {
  const machine = sections.map((section) => section.machine).find(Boolean);
  const dates = [...new Set(sections.map((section) => section.machine?.date).filter(Boolean))].sort();
  const about = machine
    ? `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}; `
      + `Node ${machine.node}, V8 ${machine.v8}; measured `
      + `${dates.length > 1 ? `${dates[0]} to ${dates.at(-1)}` : dates[0]}.`
    : 'Nothing has been measured yet.';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rasterloom, measured</title><style>${STYLE}</style></head><body>
<h1>Rasterloom, measured</h1>
<p class="machine">${escape(about)} Times are medians; ratios that stand alone compare runs on this machine
and carry over to others better than milliseconds do.</p>
<nav>${sections.map((section) => `<a href="#${idOf(section)}">${escape(section.title)}</a>`).join(' ')}</nav>
${overview(sections)}
${sections.map(sectionOf).join('\n')}
</body></html>
`;
}

const FONT = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" fill="#1f2933"';

/** Stacks the first chart of each section with its title. Returns undefined if there is none. */
export function picture(sections) {
  const charts = sections.flatMap(({ charts: [first] }) => (first ? [first] : []));
  if (!charts.length) return undefined;
  let y = 10;
  const parts = charts.map((chart) => {
    const at = y;
    y += chart.height + 52;
    return (
      `<text x="20" y="${at + 22}" font-size="17" font-weight="600" ${FONT}>${escape(chart.title)}</text>`
      + `${draw(chart).replace('<svg ', `<svg x="20" y="${at + 36}" `)}`
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH + 40}" height="${y}" viewBox="0 0 ${WIDTH + 40} `
    + `${y}"><rect width="100%" height="100%" fill="#ffffff"/>${parts.join('')}</svg>\n`
  );
}
