// The tables of docs/reference/farm.md and farm-queue.md, against the options and codes of the farm, and that of its
// metrics.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { FARM_CODES } from '../../../src/farm/codes';
import { OPTION_NAMES } from '../../../src/farm/options';
import { STORAGE_CODES } from '../../../src/farm/storage/errors';
import { checksOf, codesIn, expectNames, type Table } from '../tables';
import { membersOf } from '../members';

/** Names of all metrics, as their source has them. */
function metricNames(): string[] {
  const source = readFileSync(new URL('../../../src/farm/telemetry/opentelemetry.ts', import.meta.url), 'utf8');
  const created = /create(?:Counter|ObservableGauge)\(`\$\{SCOPE\}\.([\w.]+)`|seconds\('([\w.]+)'/g;
  return [...source.matchAll(created)].map(([, name, inSeconds]) => `rasterloom.${name ?? inSeconds}`);
}

/** Expects all codes, and whether each is retryable. */
function expectCodes(table: Table, codes: Readonly<Record<string, { retryable: boolean }>>): void {
  expectNames(table, Object.keys(codes));
  const stated = table.rows.map(([code, retryable]) => [codesIn(code!)[0], { retryable: retryable === 'yes' }]);
  expect(Object.fromEntries(stated)).toEqual(codes);
}

const at = checksOf('docs/reference/farm.md');

export const FARM_CHECKS = [
  at('`renderMany`', 'option', (table) => expectNames(table, OPTION_NAMES.renderMany)),
  at('Jobs', 'member of the context', (table) => expectNames(table, membersOf('RenderContext'))),
  at('Results', 'member', (table) =>
    expectNames(table, [...new Set([...membersOf('FarmSuccess'), ...membersOf('FarmFailure')])])
  ),
  at('Codes', 'code', (table) => expectCodes(table, FARM_CODES)),
  checksOf('docs/reference/farm-queue.md')('Inputs and outputs at addresses', 'storage code', (table) =>
    expectCodes(table, STORAGE_CODES)
  ),
  checksOf('docs/guides/farm-deployment.md')('Watch a farm', 'metric', ({ rows }) =>
    expect(rows.map(([name]) => codesIn(name!)[0]).sort()).toEqual(metricNames().sort())
  ),
];
