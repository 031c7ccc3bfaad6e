// The size of folders: a folder with more than 25 code files gets subfolders by topic.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT = 25;

/** Returns each folder below `top`, and the number of code files directly in it. */
function folderSizes(top: string): Map<string, number> {
  const sizes = new Map<string, number>();
  const visit = (folder: string): void => {
    const entries = readdirSync(`${ROOT}${folder}`, { withFileTypes: true });
    sizes.set(folder, entries.filter((entry) => entry.isFile() && /\.(ts|mts|mjs|js)$/.test(entry.name)).length);
    for (const entry of entries) if (entry.isDirectory()) visit(`${folder}/${entry.name}`);
  };
  visit(top);
  return sizes;
}

test.each(['src', 'assembly', 'tests', 'bench', 'examples'])(
  `no folder of %s has more than ${LIMIT} code files`,
  (top) => {
    const large = [...folderSizes(top)].filter(([, size]) => size > LIMIT);
    expect(Object.fromEntries(large)).toEqual({});
  }
);
