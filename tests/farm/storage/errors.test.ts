import { expect, test } from 'vitest';
import { StorageError, Subject } from '../../../src/farm/storage/errors';
import type { StorageErrorCode } from '../../../src/farm/storage/types';

test('only causes that may go away are retryable', () => {
  const retryable: Record<StorageErrorCode, boolean> = {
    address: false,
    refused: false,
    missing: false,
    denied: false,
    conflict: false,
    altered: false,
    'too-large': false,
    timeout: true,
    unavailable: true,
    dependency: false,
  };
  for (const [code, expected] of Object.entries(retryable))
    expect(new StorageError(code as StorageErrorCode, 'It failed').retryable, code).toBe(expected);
});

test('messages contain no secret of an address or of a cause', () => {
  const subject = new Subject('input', 'https://me:pass@host/a.glb?X-Amz-Signature=5e4');
  const { message } = subject.failed(new Error('GET https://host/a.glb?X-Amz-Signature=5e4 has failed'));
  expect(message).toBe('The input "https://…@host/a.glb?…" cannot be read: GET https://host/a.glb?… has failed');
});
