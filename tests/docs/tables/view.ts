// The tables about the element <rasterloom-view>.
import { expect } from 'vitest';
import { RasterloomView } from '../../../src/view/element';
import { read } from '../kit';
import { checksOf, codesIn, type Table } from '../tables';

const namesOf = ({ rows }: Table): readonly string[] =>
  rows.flatMap(([first]) => codesIn(first!).map((code) => code.replace(/\(.*/, '')));

function attributes(table: Table): void {
  expect([...namesOf(table)].sort()).toEqual([...RasterloomView.observedAttributes].sort());
}

function members(table: Table): void {
  const own = Object.getOwnPropertyNames(RasterloomView.prototype);
  // The browser calls the callbacks.
  const documented = own.filter((name) => name !== 'constructor' && !name.endsWith('Callback'));
  expect([...namesOf(table)].sort()).toEqual(documented.sort());
}

function events(table: Table): void {
  const sent = read('src/view/element.ts').matchAll(/dispatchEvent\(new \w*Event\('(\w+)'/g);
  expect([...namesOf(table)].sort()).toEqual([...new Set([...sent].map(([, name]) => name!))].sort());
}

const checks = checksOf('docs/guides/view.md');
export const VIEW_CHECKS = [
  checks('Attributes', 'attribute', attributes),
  checks('Properties, methods and events', 'member', members),
  checks('Properties, methods and events', 'event', events),
];
