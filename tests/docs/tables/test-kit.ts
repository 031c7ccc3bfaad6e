// The tables about tests, against the declarations of virtual time, scenes and the matcher of pictures.
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

const tests = checksOf('docs/guides/image-tests.md');

export const TEST_KIT_CHECKS = [
  checksOf('docs/guides/shader-tests.md')('Options of `wgsl`', 'option', (table) =>
    expectNames(table, membersOf('WgslOptions'))
  ),
  checksOf('docs/guides/shader-tests.md')('Textures and samplers', 'texels', (table) =>
    expectNames(table, membersOf('ShaderTexels'))
  ),
  tests('What can be compared?', 'option', (table) => expectNames(table, membersOf('PictureOptions'))),
  tests('Render a scene', 'option', (table) => expectNames(table, membersOf('SceneOptions'))),
  checksOf('docs/reference/virtual-time.md')('Options', 'option', timeOptions),
  checksOf('docs/reference/virtual-time.md')('What is replaced', 'member', (table) => {
    expectNames(table, membersOf('VirtualTime'));
    expect(table.rows.length).toBeGreaterThan(5);
  }),
];
