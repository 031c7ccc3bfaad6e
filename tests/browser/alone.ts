// Browsers without a driver: their pages send what they find to the server of the test.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address } from './kit';

export const FIREFOX = '/usr/bin/firefox-esr';
export const CHROMIUM = '/usr/bin/chromium';
/** Nothing moves by itself. */
const CALM = 'user_pref("ui.prefersReducedMotion", 1);\n';

/** Starts a script's reports: errors are sent as well. `send` ends the page's part. */
export const SENDS = `
  const send = (value) => fetch('/done', { method: 'POST', body: JSON.stringify(value) });
  addEventListener('error', ({ message }) => send({ error: message }));
  addEventListener('unhandledrejection', ({ reason }) => send({ error: String(reason) }));`;

type Serve = (onPost: (body: string) => void) => Promise<Server>;

/** Browsers of one test file, each with a profile of its own. */
export class LoneBrowsers {
  readonly #servers: Server[] = [];
  readonly #processes: ChildProcess[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));

  /** What the page at the root of the server, or at `fragment` there, reports in a new browser. */
  report<T>(browser: string, serve: Serve, { fragment = '', isCalm = false } = {}): Promise<T> {
    return new Promise((done, fail) => {
      void serve((body) => done(JSON.parse(body) as T)).then((server) => {
        this.#servers.push(server);
        const child = this.#start(browser, `${address(server)}${fragment}`, isCalm);
        child.on('error', fail).on('exit', (code) => fail(new Error(`${browser} exited with code ${code}`)));
      });
    });
  }

  #start(browser: string, url: string, isCalm: boolean): ChildProcess {
    // Without the folder, Firefox waits for an answer in a dialog.
    const profile = join(this.#folder, String(this.#processes.length));
    mkdirSync(profile);
    if (isCalm) writeFileSync(join(profile, 'user.js'), CALM);
    const options =
      browser === FIREFOX
        ? ['--headless', '--no-remote', '--profile', profile]
        : [
            '--headless=new',
            '--no-sandbox',
            '--disable-popup-blocking',
            `--user-data-dir=${profile}`,
            ...(isCalm ? ['--force-prefers-reduced-motion'] : []),
          ];
    const child = spawn(browser, [...options, url], {
      // Tests have no folder for caches, without which Firefox does not start.
      env: { ...process.env, HOME: this.#folder, XDG_CACHE_HOME: join(this.#folder, 'caches') },
      stdio: 'ignore',
    });
    this.#processes.push(child);
    return child;
  }

  async end(): Promise<void> {
    for (const server of this.#servers) server.close();
    await Promise.all(
      this.#processes.map(
        (child) => new Promise((done) => (child.exitCode === null ? child.once('exit', done).kill() : done(0)))
      )
    );
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
