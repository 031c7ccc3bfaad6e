// Untrusted text is escaped and truncated by src/base/printable.ts: names in messages of the command and of models
// through quoted(), and all output to a terminal through writeTextTo().
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function lines(room: string): { at: string; line: string }[] {
  return readdirSync(`${ROOT}/src/${room}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(`${ROOT}/src/${room}/${name}`, 'utf8')
        .split('\n')
        .map((line, i) => ({ at: `${room}/${name}:${i + 1}`, line }))
    );
}

test('messages print names through quoted()', () => {
  // Whole reports are JSON for machines.
  const found = [...lines('gltf'), ...lines('cli')].filter(
    ({ line }) =>
      /\$\{JSON\.stringify\((?!(report|machineReport\(.*\)), null, 2\))/.test(line)
      || /\$\{(?!quoted\()[^}]*\.(getName|getURI)\(\)/.test(line)
  );
  expect(found).toEqual([]);
});

test('output to a terminal goes through writeTextTo()', () => {
  // The progress line and the live view consist of escape sequences, a picture is no text, and main.ts reports a broken
  // output.
  const allowed = /^cli\/(progress|output-file|main|farm\/live-view)\.ts/;
  expect(
    lines('cli').filter(({ at, line }) => /\b(stdout|stderr|out|terminal)\.write\(/.test(line) && !allowed.test(at))
  ).toEqual([]);
});

test('messages of the front end and of the API truncate untrusted text', () => {
  const read = (path: string): string => readFileSync(`${ROOT}/src/${path}`, 'utf8');
  expect(read('wgsl/messages.ts')).toContain('plain(arg, MAX_ARGUMENT_LENGTH)');
  expect(read('api/core/device-core.ts')).toContain('labelled(kind, label)');
  expect(read('base/printable.ts')).toContain('plain(label)');
  expect(read('base/diagnostics.ts')).toContain('inColumns(source.slice(from, to))');
});
