// Shaders that the front end checks ahead of the application's first module (src/engine/warm-up.ts).
import { expect, test } from 'vitest';
import { ShaderProgram } from '../../src/engine';
import { warmUpFrontEnd, warmUpFrontEndWhenIdle, WARM_UP_SHADERS } from '../../src/engine/warm-up';

const math = { unary: (_: string, x: number): number => x, binary: (_: string, x: number): number => x };
const turn = (): Promise<unknown> =>
  new Promise((done) => {
    setTimeout(done, 60);
  });

test('the shaders of the rehearsal are valid', () => {
  const before = ShaderProgram.modulesChecked;
  for (const text of WARM_UP_SHADERS) expect(new ShaderProgram(text, math, new Set()).diagnostics).toEqual([]);
  expect(ShaderProgram.modulesChecked - before).toBe(WARM_UP_SHADERS.length);
});

test('one is checked at once, another twice while the caller is idle, unless it has a module', async () => {
  ShaderProgram.modulesChecked = 0;
  warmUpFrontEnd();
  warmUpFrontEnd();
  expect(ShaderProgram.modulesChecked).toBe(1);
  warmUpFrontEndWhenIdle();
  ShaderProgram.modulesChecked++;
  await turn();
  warmUpFrontEndWhenIdle();
  await turn();
  expect(ShaderProgram.modulesChecked).toBe(2);
  ShaderProgram.modulesChecked = 1;
  warmUpFrontEndWhenIdle();
  expect(ShaderProgram.modulesChecked).toBe(1);
  await turn();
  expect(ShaderProgram.modulesChecked).toBe(3);
  warmUpFrontEndWhenIdle();
  await turn();
  expect(ShaderProgram.modulesChecked).toBe(3);
});
