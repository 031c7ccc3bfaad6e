// Formats numbers for people.

/** Name and value of an output line. */
export type Row = [name: string, value: string];

export const number = (value: number): string => value.toLocaleString('en-US');
export const formatBytes = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
export const milliseconds = (ms: number): string => `${ms.toFixed(1)} ms`;
/** Formats a fraction, 0 to 1, as per cent. */
export const share = (part: number): string => `${(part * 100).toFixed(1)} %`;
/** Formats bytes relative to a total: "2.0 MiB of 8.0 MiB (25.0 %)". */
export const sizeOfAll = (bytes: number, all: number): string =>
  `${formatBytes(bytes)} of ${formatBytes(all)} (${share(bytes / all)})`;

export const table = (rows: readonly Row[]): string =>
  rows.map(([name, value]) => `${name.padEnd(10)} ${value}\n`).join('');
