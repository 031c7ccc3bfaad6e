// Loads files of the package with the code that V8 compiled for them in an earlier process. Compiling takes V8 most of
// the time from the start of a process to its first picture. Node 22 has a cache of this kind, but for the whole
// application (module.enableCompileCache); Node 20 has none.
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import type { RecordStore } from '../api';
import { commonText } from './module-text';

/**
 * What a file gets. V8 cannot `import` from code that it has kept, so files call `importModule`. It resolves names from
 * this module, which is in the folder of the files.
 */
type Run = (
  exports: object,
  require: (name: string) => unknown,
  filename: string,
  importModule: (name: string) => Promise<unknown>
) => void;

/**
 * In place of the code of a file that one process ran. Serialising code takes about a tenth of a short process, which
 * is wasted if no other one follows. So the second process does it.
 */
const RAN_ONCE = new Uint8Array(0);

/**
 * Runs files of ASCII text, each once: CommonJS, or ES modules that import nothing. When the second process that runs a
 * file is idle, the code of all functions that have run by then is written to `store`.
 */
export class CompiledFiles {
  /** The exports of files, by path. */
  readonly #loaded = new Map<string, object>();

  /** @param store without one, files are compiled each time */
  constructor(
    private readonly build: string,
    private readonly store: RecordStore | null
  ) {}

  /** Runs a file. It gets the exports of the others that were loaded before by `require`. */
  load(file: URL): object {
    const path = fileURLToPath(file);
    const known = this.#loaded.get(path);
    if (known) return known;
    const exports = {};
    this.#loaded.set(path, exports);
    const require = createRequire(path);
    const requireLoaded = (name: string): unknown => this.#loaded.get(resolve(dirname(path), name)) ?? require(name);
    const importModule = (name: string): Promise<unknown> => import(name) as Promise<unknown>;
    (this.#compile(path).runInThisContext() as Run)(exports, requireLoaded, path, importModule);
    return exports;
  }

  #compile(path: string): Script {
    const { store } = this;
    const source = `(function (exports, require, __filename, importModule) {${commonText(path)}\n})`;
    if (store === null) return new Script(source, { filename: path });
    const { mtimeMs, size } = statSync(path);
    const { v8 } = process.versions;
    // V8 refuses code that was made with other flags.
    const flags = process.execArgv.filter((word) => word.startsWith('--'));
    const key = store.digest([JSON.stringify(['code', this.build, path, mtimeMs, size, v8, process.arch, flags])]);
    const code = store.read(key);
    const cachedData = code?.length ? Buffer.from(code.buffer, code.byteOffset, code.byteLength) : null;
    const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
    if (!cachedData || script.cachedDataRejected)
      store.whenIdle(() =>
        store.write(new Map([[key, code === null ? RAN_ONCE : new Uint8Array(script.createCachedData())]]))
      );
    return script;
  }
}

/**
 * Whether files that this module runs have the same objects as their caller. They do not if this code runs in a context
 * of its own, as in Jest.
 */
export const isMainContext = (): boolean => new Script('Object').runInThisContext() === Object;
