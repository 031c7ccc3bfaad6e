// Prints the statistics of a modular pipeline's slots as a table, for the `--stats` option of the examples.

/**
 * Prints `table.statistics()`, one row per slot with a stage. The statistics cover completed passes: call this after a
 * `mapAsync` of their results or after `onSubmittedWorkDone`.
 */
export function printStatistics(table) {
  const { slots, bytesCopied, bytesHeld, choicesLinked } = table.statistics();
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
  console.log(
    `${kib(bytesCopied)} of packets copied, ${kib(bytesHeld)} held a thread; ${choicesLinked} choices of slots.`
  );
}
