// Replaces extension-readers.ts in pages: the readers are a file of their own there.
import type { loadExtensionReaders as Load } from './extension-readers';

export const loadExtensionReaders: typeof Load = async () =>
  (await import('./extension-readers')).loadExtensionReaders();
