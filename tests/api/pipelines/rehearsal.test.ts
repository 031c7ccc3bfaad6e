// Shaders that the front end checks ahead of the application's first module (src/api/rehearsal.ts).
import { expect, test } from 'vitest';
import { ShaderProgram } from '../../../src/api/core/front-end';
import { rehearse, rehearseLater, REHEARSALS } from '../../../src/api/rehearsal';

const math = { unary: (_: string, x: number): number => x, binary: (_: string, x: number): number => x };
const turn = (): Promise<unknown> =>
  new Promise((done) => {
    setTimeout(done, 60);
  });

test('the shaders of the rehearsal are valid', () => {
  const before = ShaderProgram.judged;
  for (const text of REHEARSALS) expect(new ShaderProgram(text, math, new Set()).diagnostics).toEqual([]);
  expect(ShaderProgram.judged - before).toBe(REHEARSALS.length);
});

test('one is checked at once, another twice while the caller is idle, unless it has a module', async () => {
  ShaderProgram.judged = 0;
  rehearse();
  rehearse();
  expect(ShaderProgram.judged).toBe(1);
  rehearseLater();
  ShaderProgram.judged++;
  await turn();
  rehearseLater();
  await turn();
  expect(ShaderProgram.judged).toBe(2);
  ShaderProgram.judged = 1;
  rehearseLater();
  expect(ShaderProgram.judged).toBe(1);
  await turn();
  expect(ShaderProgram.judged).toBe(3);
  rehearseLater();
  await turn();
  expect(ShaderProgram.judged).toBe(3);
});
