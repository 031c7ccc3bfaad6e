// Shows the progress of long work in one line that is overwritten. Only prints to a terminal.
const { stdout } = process;
const WIDTH = 24;

/** Shows `done` of `all`, and the current item. */
export function progress(done, all, what) {
  if (!stdout.isTTY) return;
  const filled = Math.round((done / all) * WIDTH);
  stdout.write(`\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done} of ${all}: ${what}\x1b[K`);
}

/** Prints a permanent line. */
export function say(line) {
  if (stdout.isTTY) stdout.write('\r\x1b[K');
  console.log(line);
}
