// The tables of the README and the site agree with the code: names in both directions, and defaults, ranges and limits
// where a table states them. Tables of names that are not compared are listed, so that a new table needs a decision.
import { expect, test } from 'vitest';
import { userPages } from './kit';
import {
  amountsIn,
  codesIn,
  keyOf,
  keyOfTable,
  namesIn,
  parseTables,
  tableOf,
  tablesOf,
  type Table,
  type TableCheck,
} from './tables';
import { COMMAND_CHECKS } from './tables/command';
import { ERROR_CHECKS } from './tables/errors';
import { FARM_CHECKS } from './tables/farm';
import { FEATURE_CHECKS } from './tables/features';
import { LIBRARY_CHECKS } from './tables/gltf-api';
import { LIMIT_CHECKS } from './tables/limits';
import { MODULAR_CHECKS } from './tables/modular';
import { OPTION_CHECKS } from './tables/options';
import { STATISTICS_CHECKS } from './tables/statistics';
import { REPOSITORY_CHECKS } from './tables/repository';
import { SUPPORT_CHECKS, testLists } from './tables/support';
import { TEST_KIT_CHECKS } from './tables/test-kit';
import { UNCOMPARED } from './tables/uncompared';
import { VIEW_CHECKS } from './tables/view';

const CHECKS: readonly TableCheck[] = [
  ...OPTION_CHECKS,
  ...LIMIT_CHECKS,
  ...LIBRARY_CHECKS,
  ...FARM_CHECKS,
  ...ERROR_CHECKS,
  ...COMMAND_CHECKS,
  ...SUPPORT_CHECKS,
  ...FEATURE_CHECKS,
  ...MODULAR_CHECKS,
  ...STATISTICS_CHECKS,
  ...REPOSITORY_CHECKS,
  ...TEST_KIT_CHECKS,
  ...VIEW_CHECKS,
];

test.each(CHECKS.map((check) => [keyOf(check), check] as const))(
  '%s',
  async (_, check) => {
    await check.compare(tableOf(check));
  },
  60_000
);

testLists();

/** Whether a table lists names of the code: every row begins with one. */
const isOfNames = ({ rows }: Table): boolean => rows.every(([first]) => codesIn(first!).length > 0);

test('every table of names is compared, or listed with a reason', () => {
  const known = new Set(
    CHECKS.flatMap((check) =>
      tablesOf(check.file)
        .filter(({ head, heading }) => head[0] === check.first && heading === (check.heading ?? heading))
        .map(keyOfTable)
    )
  );
  const others = userPages().flatMap((file) => tablesOf(file).filter(isOfNames).map(keyOfTable));
  expect(others.filter((key) => !known.has(key)).sort()).toEqual(Object.values(UNCOMPARED).flat().sort());
});

test('tables are read with their headings, and without what stands in code blocks', () => {
  const text =
    '# A\n```\n| x |\n|---|\n| y |\n```\n## `B`\n| name | size |\n'
    + "|---|:-:|\n| `a.b(c)`, `'d'` | 1 \\| 2 |\n\n| x | y |\n";
  const tables = parseTables('page.md', text);
  const rows = [["`a.b(c)`, `'d'`", '1 | 2']];
  expect(tables).toEqual([{ file: 'page.md', heading: '`B`', head: ['name', 'size'], rows }]);
  expect(namesIn(tables[0]!)).toEqual(['b', 'd']);
  expect(amountsIn('1,024 to 1.5 KiB, 2 s')).toEqual([1024, 1536, 2000]);
});
