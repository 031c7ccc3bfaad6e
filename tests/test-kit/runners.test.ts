// The matchers in the test runners: Vitest in a project of its own, and the entries for Jest and Playwright with
// functions that stand for those of the runners.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { Project } from '../package/kit';

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const project = new Project();
afterAll(() => project.remove());

const picture = (red: number): string => `
import { expect, test } from 'vitest';
import { renderScene } from 'rasterloom/testing';
import 'rasterloom/vitest';

test('draws a colour', async () => {
  const picture = await renderScene(async ({ canvas }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const context = canvas.getContext('webgpu');
    context.configure({ device, format: 'rgba8unorm' });
    requestAnimationFrame(() => {
      const encoder = device.createCommandEncoder();
      encoder.beginRenderPass({ colorAttachments: [{ view: context.getCurrentTexture().createView(),
        loadOp: 'clear', clearValue: [${red}, 0, performance.now() / 1000, 1], storeOp: 'store' }] }).end();
      device.queue.submit([encoder.finish()]);
    });
  }, { width: 16, height: 8, frame: 60 });
  await expect(picture).toMatchPicture('colour');
});
test('knows distances of floats', () => {
  expect([1 + 2 ** -23, { x: 2 }]).toBeWithinUlps([1, { x: 2 }], 1);
  expect(() => expect([1, 2 + 2 ** -21]).toBeWithinUlps([1, 2], 1)).toThrow('the distance is 2 ULP at [1]');
});
`;

function run(environment: Record<string, string>, ...options: string[]): { status: number | null; output: string } {
  const { CI: _, VITEST: _v, VITEST_MODE: _m, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`${MODULES}vitest/vitest.mjs`, 'run', '--root', project.folder, '--no-color', ...options],
    { cwd: project.folder, encoding: 'utf8', env: { ...inherited, ...environment } }
  );
  return { status, output: stdout + stderr };
}

test('Vitest writes, compares, updates and reports pictures', { timeout: 120_000 }, () => {
  symlinkSync(`${MODULES}vitest`, project.path('node_modules/vitest'));
  const baseline = project.path('__screenshots__/colour.test.js/colour.png');
  project.write('colour.test.js', picture(1));

  const first = run({ CI: '1' });
  expect(first.status).toBe(1);
  expect(first.output).toContain(
    'Picture "colour" has no baseline __screenshots__/colour.test.js/colour.png, and none is written in continuous '
      + 'integration (CI is set)'
  );
  expect(existsSync(baseline)).toBe(false);

  const second = run({});
  expect(second.status, second.output).toBe(0);
  expect(second.output).toMatch(/Snapshots\s+1 written/);
  expect(existsSync(baseline)).toBe(true);
  expect(existsSync(project.path('picture-report/index.html'))).toBe(true);

  project.write('colour.test.js', picture(0.99));
  const third = run({ CI: '1' });
  expect(third.status).toBe(1);
  expect(third.output).toContain('Picture "colour" differs from its baseline in 128 of 128 pixels');
  for (const kind of ['actual', 'difference']) {
    const path = new RegExp(`${kind} +(picture-report/.*-${kind}\\.png)`).exec(third.output)?.[1];
    expect(existsSync(project.path(path!)), path).toBe(true);
  }
  expect(readFileSync(project.path('picture-report/index.html'), 'utf8')).toContain('1 picture differs');

  project.copy(baseline, '__screenshots__/colour.test.js/old.png');
  const fourth = run({}, '-u');
  expect(fourth.status, fourth.output).toBe(0);
  expect(fourth.output).toMatch(/Removed baselines that no test uses:\n.*old\.png/);
  expect(existsSync(project.path('__screenshots__/colour.test.js/old.png'))).toBe(false);
  project.copy(baseline, '__screenshots__/colour.test.js/old.png');
  expect(run({}).output).toMatch(/No test uses these baselines.*\n.*old\.png/);
  // A part of the tests does not tell which baselines are unused.
  expect(run({}, '-t', 'colour').output).not.toContain('No test uses');
});

describe('the entry for Jest', () => {
  const script = (before: string): string => {
    project.write('jest.cjs', `${before}\nrequire('rasterloom/jest');`);
    const { stdout, stderr } = spawnSync(process.execPath, ['jest.cjs'], { cwd: project.folder, encoding: 'utf8' });
    return stdout + stderr;
  };

  test('adds the matchers, and looks for unused baselines after the tests', () => {
    const globals = `globalThis.expect = { extend: (matchers) => console.log(Object.keys(matchers).join()) };
      globalThis.afterAll = (task) => console.log(typeof task);`;
    expect(script(globals)).toBe('toMatchPicture,toBeWithinUlps\nfunction\n');
  });

  test('says what to do outside of Jest', () => {
    expect(script('')).toContain('rasterloom/jest: Jest is not running; name it in setupFilesAfterEnv, or require it');
  });
});

test('the entry for Playwright extends test and expect, and adds the pictures of a difference to its report', () => {
  project.write('node_modules/@playwright/test/package.json', '{ "main": "index.js" }');
  project.write(
    'node_modules/@playwright/test/index.js',
    `const attachments = [];
     const config = { updateSnapshots: 'missing' };
     const titlePath = ['page.spec.js', 'draws'];
     const file = require('node:path').resolve(__dirname, '../../../page.spec.js');
     const info = { file, titlePath, config, attachments, annotations: [] };
     exports.test = { extend: (fixtures) => ({ fixtures }), info: () => info };
     exports.expect = { extend: (matchers) => matchers };`
  );
  project.write(
    'playwright.mjs',
    `import { test, expect } from 'rasterloom/playwright';
     const { rasterloom: [options], page } = test.fixtures;
     const steps = [];
     const fake = { route: async () => steps.push('route'), addInitScript: async () => steps.push('script') };
     await page({ page: fake, rasterloom: { ...options, time: {} } }, async () => steps.push('use'));
     const { test: { info } } = await import('@playwright/test');
     const pixels = (red) => ({ width: 1, height: 1, data: Uint8Array.of(red, 0, 0, 255) });
     const results = [];
     const modes = [[1, 'none'], [1, 'missing'], [2, 'missing'], [2, 'changed'], [2, 'default']];
     for (const [red, updateSnapshots] of modes) {
       info().config.updateSnapshots = updateSnapshots;
       results.push((await expect.toMatchPicture(pixels(red), 'one')).pass);
     }
     const { file, annotations, attachments, config } = info();
     const { default: { default: Reporter } } = await import('rasterloom/playwright');
     const { copyFileSync, existsSync } = await import('node:fs');
     const old = file + '-snapshots/old.png';
     copyFileSync(file + '-snapshots/one.png', old);
     const reports = [];
     console.warn = (message) => reports.push(message.split('\\n')[0]);
     const report = (updateSnapshots, outcome, ...more) => {
       process.argv.splice(2, Infinity, ...more);
       const reporter = new Reporter();
       reporter.onBegin({ updateSnapshots });
       const test = { location: { file }, annotations, results: [{}], expectedStatus: 'passed' };
       test.outcome = () => outcome;
       reporter.onTestEnd(test);
       reporter.onEnd({ status: outcome === 'expected' ? 'passed' : 'failed' });
     };
     report('none', 'unexpected');
     report('none', 'expected', '-g', 'draws');
     report('none', 'expected', 'page.spec.js:3');
     report('missing', 'expected', 'page.spec.js');
     report('changed', 'expected');
     reports.push(existsSync(old));
     report('missing', 'expected');
     console.log(JSON.stringify({ steps, results, reports, attachments: attachments.map(({ name }) => name) }));`
  );
  const { CI: _, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, ['playwright.mjs'], {
    cwd: project.folder,
    encoding: 'utf8',
    env,
  });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    steps: ['route', 'script', 'script', 'use'],
    results: [false, true, false, true, true],
    reports: [
      'No test uses these baselines; run the tests with -u to remove them:',
      'Removed baselines that no test uses:',
      false,
    ],
    attachments: ['one-actual.png', 'one-expected.png', 'one-diff.png'],
  });
  expect(existsSync(project.path('page.spec.js-snapshots/one.png'))).toBe(true);
});
