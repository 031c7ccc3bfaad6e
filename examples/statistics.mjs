// What the slots of a table of shaders have done, as a table for people: for the examples' `--stats`.

/**
 * Prints `table.statistics()`, a row a slot that holds a stage. Of passes that are done: after a `mapAsync` of what
 * they made, or `onSubmittedWorkDone`.
 */
export function printStatistics(table) {
  const { slots, bytesCopied, bytesHeld, mapsMade } = table.statistics();
  const number = (value) => value.toLocaleString('en-US');
  const rows = [['slot', 'stage', 'runs', 'vertices in', 'out', 'primitives in', 'out']];
  slots.forEach((slot, i) => {
    if (!slot) return;
    const { runs, verticesIn, verticesOut, primitivesIn, primitivesOut } = slot;
    const counts = [runs, verticesIn, verticesOut, primitivesIn, primitivesOut].map(number);
    rows.push([`${i}`, table.stages[i].entryPoint, ...counts]);
  });
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(row.map((cell, i) => (i === 1 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
  const kib = (bytes) => `${number(Math.round(bytes / 1024))} KiB`;
  console.log(`${kib(bytesCopied)} of packets copied, ${kib(bytesHeld)} held a thread; ${mapsMade} choices of slots.`);
}
