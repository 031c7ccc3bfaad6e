// A module of jobs that misbehave, and of some that do not.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

export async function render(data, { attempt, device, id, signal }) {
  if (data.log) appendFileSync(data.log, `${id} ${attempt} ${process.pid}\n`);
  switch (data.kind) {
    case 'loop':
      for (;;);
    case 'hang':
      return new Promise(() => setInterval(() => undefined, 1000));
    case 'listen':
      return new Promise(() => signal.addEventListener('abort', () => appendFileSync(data.log, `${id} aborted\n`)));
    case 'allocate': {
      const all = [];
      for (;;) all.push(Buffer.alloc(8 * 2 ** 20, 1));
    }
    case 'exit':
      return process.exit(3);
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    case 'throw':
      throw new Error('no way');
    case 'refuse':
      throw Object.assign(new Error('never'), { retryable: false });
    case 'flaky':
      if (attempt < 3) throw new Error('not yet');
      return Buffer.from('at last');
    case 'child': {
      const child = spawn('sleep', ['1000']);
      appendFileSync(data.log, `child ${child.pid}\n`);
      return new Promise(() => undefined);
    }
    case 'text':
      return 'no bytes';
    case 'nothing':
      return undefined;
    case 'device':
      return Buffer.from(String((await device()) === (await device())));
    default:
      return Buffer.from(`fine ${data.number}`);
  }
}
