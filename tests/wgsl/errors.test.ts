// Every error with its complete message. A case in errors/*.txt is a title, a module, `---`, and the expected message.
// The expected text is written by hand: no test rewrites it.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/base/diagnostics';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

interface Case {
  readonly title: string;
  readonly source: string;
  readonly expected: string;
}

const folder = new URL('./errors/', import.meta.url);

function readCases(file: string): Case[] {
  const blocks = readFileSync(new URL(file, folder), 'utf8').split(/^### /m).slice(1);
  return blocks.map((block) => {
    const [, title, source, expected] = /^(.*)\n([^]*?)\n---\n([^]*)$/.exec(block)!;
    return { title: title!, source: source!, expected: expected!.trimEnd() };
  });
}

/** Features of the device, by file. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  'surfaces.txt': ['multisample-storage-textures'],
  'geometry.txt': ['modular-pipelines'],
  'fragment-stages.txt': ['fragment-stages', 'multisample-storage-textures'],
  'tessellation.txt': ['modular-pipelines'],
  'shading-rate.txt': ['modular-pipelines', 'shading-rate'],
  'subgroups.txt': ['subgroups', 'subgroup-size-control'],
  'two-sources.txt': ['dual-source-blending'],
};

function messagesOf(source: string, features: readonly string[]): string {
  const { module, diagnostics } = parseModule(source);
  return renderDiagnostics(source, [...diagnostics, ...checkModule(module, simpleMath, new Set(features)).diagnostics]);
}

for (const file of readdirSync(folder)) {
  const cases = readCases(file);
  describe(file, () => {
    it('there are cases', () => expect(cases.length).toBeGreaterThan(10));
    it.each(cases)('$title', ({ source, expected }) => {
      expect(expected).not.toBe('');
      expect(messagesOf(source, FEATURES[file] ?? [])).toBe(expected);
    });
  });
}
