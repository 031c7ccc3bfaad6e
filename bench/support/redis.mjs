// A real Redis of one's own, for tests and benchmarks: on a free port, with its data in a folder of its own. It is
// started, killed, stopped and continued by its process id.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

const START_MS = 20_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether something accepts connections on a port. */
const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });

/** Asks Redis in its own protocol, without a client. */
const askRedis = ({ port, isTls }, ...words) =>
  new Promise((resolve, reject) => {
    const place = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const socket = (isTls ? connectTls : connect)(place, () => {
      socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
    });
    socket.setTimeout(2000, () => socket.destroy(new Error('Redis does not answer')));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data));
    });
    socket.once('error', reject);
  });

export class RedisServer {
  #child;
  #options;

  constructor(folder, port, options) {
    this.folder = folder;
    this.port = port;
    this.#options = options;
  }

  /**
   * @param options.password of the default user; undefined: none
   * @param options.tls paths of a certificate for 127.0.0.1 and of its key, for connections with TLS only
   * @param options.aof whether each write is kept in an append-only file, synchronised every second
   */
  static async start(options = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-redis-'));
    const server = new RedisServer(folder, await freePort(), { aof: true, ...options });
    await server.#run();
    return server;
  }

  get url() {
    const { password, tls } = this.#options;
    const login = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
    return `redis${tls ? 's' : ''}://${login}127.0.0.1:${this.port}`;
  }

  get #place() {
    return { port: this.port, isTls: this.#options.tls !== undefined };
  }

  get pid() {
    return this.#child.pid;
  }

  async #run() {
    const { aof, password, tls } = this.#options;
    const words = tls
      ? ['--tls-port', `${this.port}`, '--port', '0', '--tls-auth-clients', 'no']
      : ['--port', `${this.port}`];
    if (tls)
      words.push('--tls-cert-file', tls.certificate, '--tls-key-file', tls.key, '--tls-ca-cert-file', tls.certificate);
    words.push('--bind', '127.0.0.1', '--dir', this.folder, '--save', '');
    words.push('--appendonly', aof ? 'yes' : 'no', '--appendfsync', 'everysec');
    if (password !== undefined) words.push('--requirepass', password);
    const child = spawn('redis-server', words, { stdio: 'ignore' });
    this.#child = child;
    let failure;
    child.once('error', (error) => (failure = error));
    const end = Date.now() + START_MS;
    for (;;) {
      if (failure) throw failure;
      if (child.exitCode !== null) throw new Error(`redis-server has ended with code ${child.exitCode}`);
      // A server that still reads its file answers LOADING.
      if (await accepts(this.port)) if (/PONG|NOAUTH/.test(await askRedis(this.#place, 'PING').catch(() => ''))) return;
      if (Date.now() > end) throw new Error('redis-server did not start');
      await sleep(25);
    }
  }

  /** Ends Redis as a power cut would; its folder stays. */
  async kill() {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  /** Starts it again, on the same port and with the same folder. */
  async restart() {
    await this.#run();
  }

  /** Stops the process: connections stay open, and nothing answers. */
  freeze() {
    this.#child.kill('SIGSTOP');
  }

  thaw() {
    this.#child.kill('SIGCONT');
  }

  /** CPU time in milliseconds since its start; only on Linux. */
  async cpuMilliseconds() {
    const info = await askRedis(this.#place, 'INFO', 'cpu');
    const of = (name) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1] ?? NaN);
    return (of('used_cpu_sys') + of('used_cpu_user')) * 1000;
  }

  async close() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, 'exit');
      this.thaw();
      this.#child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
