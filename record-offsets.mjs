// Replaces fields of the records of build/layout.ts by their offsets, for the bundles.
import { readFileSync } from 'node:fs';

/** The fields of the records of build/layout.ts, with their offsets. */
let records = null;
function readRecords() {
  const numbers = (fields) => new Map([...fields.matchAll(/(\w+): (\d+)/g)].map(([, name, offset]) => [name, offset]));
  records ??= new Map(
    [...readFileSync('build/layout.ts', 'utf8').matchAll(/^export const (\w+) = \{([^}]*)\}/gm)].map(
      ([, record, fields]) => [record, numbers(fields)]
    )
  );
  return records;
}

/**
 * Returns the code of an ES module with offsets as numbers, so that bundles need neither the records nor their names.
 */
export function withOffsets(code) {
  const [, names] = /^import \{([^}]*)\} from '[./]+\/build\/layout';$/m.exec(code) ?? [];
  if (names === undefined) return code;
  const local = new Map(
    names.split(',').map((each) => {
      const [record, name = record] = each.trim().split(' as ');
      return [name, readRecords().get(record)];
    })
  );
  return code.replace(/(?<![\w$.])([A-Z]\w*)\.(\w+)/g, (all, name, field) => local.get(name)?.get(field) ?? all);
}
