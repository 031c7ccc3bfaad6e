// The serverless function of a farm, with the built package.
import { readFileSync } from 'node:fs';
import { decode } from 'fast-png';
import { expect, test } from 'vitest';
import { handler } from '../../examples/farm/handler.mjs';

const sample = readFileSync(new URL('../../examples/sample.glb', import.meta.url)).toString('base64');
const bodyOf = ({ body }: { body: string }): Buffer => Buffer.from(body, 'base64');

test('the function answers with a picture of the model', async () => {
  const answer = await handler({ body: sample, size: 64 });
  expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-type': 'image/png' }, isBase64Encoded: true });
  const { width, height, data } = decode(bodyOf(answer));
  expect([width, height]).toEqual([64, 64]);
  expect(new Set(data).size).toBeGreaterThan(50);
});

test('the function says what is wrong with a model or a size', async () => {
  const answer = await handler({ body: 'AAAA' });
  expect(answer.statusCode).toBe(422);
  expect(bodyOf(answer).toString()).toMatch(/^The file is neither a \.glb nor/);
  expect((await handler({ body: sample, size: 5000 })).statusCode).toBe(400);
  expect((await handler({ body: Buffer.alloc(7_000_000).toString('base64') })).statusCode).toBe(413);
});
