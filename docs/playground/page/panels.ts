// What the renderer reports: counters, the legend of an overlay, the samples of a pixel, and problems of the shader.
import type { Counter, LegendEntry, Probe } from '../protocol';
import type { CheckMessage } from '../worker/check';
import { byId, make } from './elements';

export function showCounters(counters: readonly Counter[]): void {
  const list = byId('counters');
  // Rows stay, so that their texts can be selected while they change.
  const rows = new Map([...list.children].map((row) => [row.firstElementChild!.textContent, row]));
  const kept = counters.map(({ name, value }) => {
    const row = rows.get(name) ?? make('div', {}, make('dt', {}, name), make('dd'));
    const cell = row.lastElementChild!;
    if (cell.textContent !== value) cell.textContent = value;
    return row;
  });
  if (kept.some((row, k) => list.children[k] !== row) || kept.length !== list.children.length)
    list.replaceChildren(...kept);
}

let shownLegend = '';
export function showLegend(entries: readonly LegendEntry[]): void {
  const key = JSON.stringify(entries);
  if (key === shownLegend) return;
  shownLegend = key;
  byId('legend').replaceChildren(
    ...entries.map(({ color, text }) => {
      const box = make('i');
      box.style.background = color;
      return make('li', {}, box, text);
    })
  );
}

const number = (value: number): string => value.toFixed(3);

/** @param probe null: none is shown */
export function showProbe(probe: Probe | null): void {
  const panel = byId('probe');
  panel.hidden = probe === null;
  if (!probe) return;
  const { x, y, samples, state, invocations } = probe;
  const columns = ['Sample', 'Colour', 'Red', 'Green', 'Blue', 'Alpha', 'Depth'];
  const rows = samples.map(({ rgba, depth }, k) => {
    const box = make('i');
    box.style.background = `rgb(${rgba
      .slice(0, 3)
      .map((channel) => Math.round(255 * Math.min(1, channel)))
      .join(' ')})`;
    const cells = [...rgba.map(number), depth.toFixed(5)].map((text) => make('td', {}, text));
    return make('tr', {}, make('th', { scope: 'row' }, String(k)), make('td', {}, box), ...cells);
  });
  const runs = `${invocations} fragment invocation${invocations === 1 ? '' : 's'}`;
  const held = state === null ? '' : `, held as ${state}`;
  panel.replaceChildren(
    make('h2', {}, `Pixel ${x}, ${y}: ${runs}${held}`),
    make(
      'div',
      { className: 'scroll' },
      make(
        'table',
        {},
        make('thead', {}, make('tr', {}, ...columns.map((name) => make('th', { scope: 'col' }, name)))),
        make('tbody', {}, ...rows)
      )
    )
  );
}

/** @param goTo puts the cursor to an offset of the text */
export function showProblems(messages: readonly CheckMessage[], goTo: (offset: number) => void): void {
  const errors = messages.filter(({ type }) => type === 'error').length;
  const verdict = byId('verdict');
  verdict.classList.toggle('bad', errors > 0);
  verdict.textContent = errors === 0 ? 'No errors' : `${errors} error${errors === 1 ? '' : 's'}`;
  const list = byId('problems');
  list.hidden = messages.length === 0;
  list.replaceChildren(
    ...messages.map(({ type, message, line, column, offset }) =>
      make(
        'li',
        { className: type },
        make('button', { type: 'button', onclick: () => goTo(offset) }, make('b', {}, `${line}:${column}`), message)
      )
    )
  );
}

/** @param lines what is in the model; null: the picture is of no model */
export function showModel(name: string, lines: readonly string[] | null): void {
  const panel = byId('model');
  panel.hidden = lines === null;
  if (lines) panel.replaceChildren(make('h2', {}, name), make('ul', {}, ...lines.map((line) => make('li', {}, line))));
}
