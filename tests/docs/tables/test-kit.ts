// The tables about tests: those of docs/reference/virtual-time.md, against the declarations of virtual time.
import { expect } from 'vitest';
import { virtualTime } from '../../../src/virtual-time';
import { membersOf } from '../members';
import { amountIn, checksOf, expectNames, rowOf, type Table } from '../tables';

function timeOptions(table: Table): void {
  expectNames(table, membersOf('VirtualTimeOptions'));
  const time = virtualTime(
    Object.fromEntries(['frameRate', 'seed', 'loadTimeoutMs'].map((name) => [name, amountIn(rowOf(table, name)[1]!)]))
  );
  time.restore();
}

export const TEST_KIT_CHECKS = [
  checksOf('docs/reference/virtual-time.md')('Options', 'option', timeOptions),
  checksOf('docs/reference/virtual-time.md')('What is replaced', 'member', (table) => {
    expectNames(table, membersOf('VirtualTime'));
    expect(table.rows.length).toBeGreaterThan(5);
  }),
];
