// A module for jobs that misbehave, which a farm must survive.
const MIB = 2 ** 20;

/** What a job of this module does. */
const ACTS = {
  hang() {
    for (;;);
  },
  memory() {
    const kept = [];
    for (;;) kept.push(new Uint8Array(16 * MIB).fill(1));
  },
  crash() {
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  },
  throws() {
    throw new Error('This job always fails');
  },
  nothing() {
    return undefined;
  },
};

export const render = ({ act }) => ACTS[act]();
