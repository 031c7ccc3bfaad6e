// Runs a row of the table and compares it with WGSL's limit, and with the guaranteed error.
import { floatOf } from '../support/kernel';
import { evaluateExpressions, showSet } from './engine';
import type { FloatRow } from './float-row';
import { floatSets } from './inputs';
import { holds, ulp } from './interval';

const EVALUATIONS = 640;
const GREATEST = 3.4028234663852886e38;

interface Measurement {
  /** The first results out of bounds, as messages. */
  readonly misses: readonly string[];
  /** The largest error found, in ULP of the exact result, where that is finite. */
  readonly worstUlps: number;
  /** The result with the largest error. */
  readonly worst: string;
}

/** Describes what is wrong with a result; null if it is correct. */
export function missOf(
  row: FloatRow,
  args: readonly (readonly number[])[],
  component: number,
  got: number,
  exact: number
): string | null {
  if (Number.isNaN(exact)) return Number.isNaN(got) ? null : 'is no NaN';
  if (Object.is(got, Math.fround(exact))) return null;
  const exactly = row.allowed === null || (row.ulps === 0 && row.absolute === undefined);
  if (exactly) return 'is not the exact result, rounded';
  // A result of zero may have either sign where an error is permitted.
  const error = Math.abs(got - exact);
  if (Number.isFinite(exact) && Math.abs(exact) <= GREATEST && !holds(row.allowed!(args, component), got))
    return `is outside of ${row.allowed!(args, component).join(' … ')}`;
  const overflows = Math.abs(exact) > GREATEST * (1 - 2 ** -20) && got === Math.sign(exact) * Infinity;
  if (row.ulps !== undefined && !overflows && !(error <= Math.max(row.ulps * ulp(exact), row.absolute ?? 0)))
    return `is ${error / ulp(exact)} ULP off`;
  return null;
}

export function measure(row: FloatRow): Measurement {
  const sets = floatSets(row.pools, EVALUATIONS);
  const all = evaluateExpressions(
    row.forms.map((form) => `bitcast<vec4u>(${form})`),
    row.pools.map(() => 'vec4f'),
    sets
  );
  const misses: string[] = [];
  let worstUlps = 0;
  let worst = '';
  sets.forEach((set, n) => {
    const args = set.map((vector) => vector.map(floatOf));
    for (let component = 0; component < 4; component++) {
      const word = all[0]![n]![component]!;
      const got = floatOf(word);
      const exact = row.exact(args, component);
      const text = (what: string): string =>
        `${row.forms[0]!} of ${args.map((v) => `(${v.join(', ')})`).join(' ')} `
        + `[${showSet(set)}].${'xyzw'[component]!} = ${got}, exactly ${exact}: ${what}`;
      const miss = missOf(row, args, component, got, exact);
      if (miss !== null && misses.length < 5) misses.push(text(miss));
      all.forEach((results, k) => {
        if (results[n]![component] !== word && misses.length < 5)
          misses.push(text(`${row.forms[k]!} = ${floatOf(results[n]![component]!)}`));
      });
      const error = Math.abs(got - exact) / ulp(exact);
      if (Number.isFinite(error) && Math.abs(exact) <= GREATEST && error > worstUlps)
        [worstUlps, worst] = [error, text(`${error} ULP`)];
    }
  });
  return { misses, worstUlps, worst };
}
