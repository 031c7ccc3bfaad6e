// Results to report.
import { sections, type Section } from '../../bench/report/sections.mjs';

export const machine = {
  cpu: 'A <fast> CPU',
  cores: 2,
  memoryGiB: 8,
  node: 'v20',
  v8: '11',
  platform: 'linux',
  commit: 'abc',
  date: '2030-01-01',
};
export const frame = (rasterloom: number | null, swiftshader: number | null, llvmpipe: number | null) => ({
  rasterloom,
  swiftshader,
  llvmpipe,
  swiftshaderRatio: rasterloom && swiftshader && swiftshader / rasterloom,
  llvmpipeRatio: rasterloom && llvmpipe && llvmpipe / rasterloom,
});

export const named = (results: Readonly<Record<string, unknown>>, file: string): Section =>
  sections(results).find((section) => section.file === file)!;
