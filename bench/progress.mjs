// How far long work is: one line that is written over, on a terminal alone.
const { stdout } = process, WIDTH = 24;

/** `done` of `all`, and what is at work now. */
export function progress(done, all, what) {
  if (!stdout.isTTY) return;
  const filled = Math.round((done / all) * WIDTH);
  stdout.write(`\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done} of ${all}: ${what}\x1b[K`);
}

/** A line that stays. */
export function say(line) {
  if (stdout.isTTY) stdout.write('\r\x1b[K');
  console.log(line);
}
