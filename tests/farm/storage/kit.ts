// A folder for one test file, and an HTTP server that behaves as a test says.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { StorageErrorCode } from '../../../src/farm/storage/types';

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-storage-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** Writes a file, and returns its path. */
export function put(folder: string, name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** All files in a folder and those below it. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

/** Starts a server, and returns its address with a slash at the end. */
export async function serve(listener: RequestListener): Promise<{ server: Server; address: string }> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Expects a rejection with a StorageError. */
export async function expectFailure(promise: Promise<unknown>, code: StorageErrorCode, message: RegExp): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason
  );
  expect(error).toMatchObject({ name: 'StorageError', code });
  expect((error as Error).message).toMatch(message);
}
