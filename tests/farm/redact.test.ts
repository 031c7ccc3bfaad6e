import { expect, test } from 'vitest';
import { redacted } from '../../src/farm/redact';

test.each([
  ['https://h/a.glb?X-Amz-Signature=abc&x=1', 'https://h/a.glb?…'],
  ['redis://user:secret@host:6379/0', 'redis://…@host:6379/0'],
  ['rediss://:p@ss@host', 'rediss://…@host'],
  ['GET "https://u:p@h/x#key" failed', 'GET "https://…@h/x?…" failed'],
  ['X-Amz-Signature=0af3 is wrong', 'X-Amz-Signature=… is wrong'],
  ['https://h/a.glb and /tmp/a?b', 'https://h/a.glb and /tmp/a?b'],
])('%s is shown as %s', (text, shown) => {
  expect(redacted(text)).toBe(shown);
});
