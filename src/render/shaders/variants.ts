// A process-wide cache of emitted modules by compiler input. Devices share the modules, and with them the engine's
// native code. Modules in use are always found. Unused ones are kept while they are among the most recently used.
import { LruSet } from '../../base/lru-set';
import { WeakCache } from '../../base/weak-cache';
import type { JitModule } from '../../codegen/jit';

/**
 * Maximum size of unused entries: characters of keys plus bytes of modules. The engine's own code takes about ten times
 * as much.
 */
const MAX_BYTES = 8 << 20;
/**
 * Modules of at most this many bytes are compiled on the calling thread. There V8 only validates them, 0.2 ms for 36
 * KB, and compiles a function when it is first called. A round trip to another thread takes 0.1 … 9 ms on a busy
 * machine with two cores.
 */
const AT_ONCE = 128 << 10;

/** The WebAssembly code of variants that differ only in constants, which are not part of it. */
export class Code {
  /** Whether the functions have run often enough for the engine to have compiled its best code. */
  warm = false;
  private module: WebAssembly.Module | null = null;
  private compiling: Promise<WebAssembly.Module> | null = null;

  constructor(readonly bytes: Uint8Array<ArrayBuffer>) {}

  get isCompiled(): boolean {
    return this.module !== null;
  }

  /** Whether compiling takes too little time to justify another thread. */
  get isSmall(): boolean {
    return this.module !== null || this.bytes.length <= AT_ONCE;
  }

  /** Compiles; large modules on another thread if the engine can. Rejects like WebAssembly.compile. */
  async compile(): Promise<WebAssembly.Module> {
    if (this.isSmall) {
      try {
        return this.compileSync();
      } catch (error) {
        // Some browsers refuse to compile on the main thread.
        if (!(error instanceof RangeError)) throw error;
      }
    }
    this.compiling ??= WebAssembly.compile(this.bytes);
    try {
      return (this.module ??= await this.compiling);
    } finally {
      // Failures are not cached, because a later attempt may succeed.
      this.compiling = null;
    }
  }

  /** Compiles synchronously. Throws like `new WebAssembly.Module`. */
  compileSync(): WebAssembly.Module {
    return (this.module ??= new WebAssembly.Module(this.bytes));
  }
}

/** The emitted code of a shader. */
export interface Variant {
  readonly key: string;
  readonly emitted: JitModule;
  readonly code: Code;
}

const sizeOf = ({ key, emitted }: Variant): number => key.length + emitted.bytes.length;

export class VariantCache {
  private readonly recent: LruSet<Variant>;
  private readonly known = new WeakCache<Variant>();
  private readonly codes = new WeakCache<Code>();
  private readonly latin1 = new TextDecoder('latin1');

  constructor(maxBytes: number) {
    this.recent = new LruSet(maxBytes);
  }

  /** Number of variants that can be found. */
  get size(): number {
    return this.known.size;
  }

  /** Number of cached variants, bytes of their keys and modules, and how many were evicted. */
  get kept(): { readonly cachedModules: number; readonly keptBytes: number; readonly dropped: number } {
    const { size, bytes, dropped } = this.recent;
    return { cachedModules: size, keptBytes: bytes, dropped };
  }

  find(key: string): Variant | null {
    const variant = this.known.get(key);
    if (!variant) return null;
    this.recent.use(variant, sizeOf(variant));
    return variant;
  }

  add(key: string, emitted: JitModule): Variant {
    const bytes = this.latin1.decode(emitted.bytes);
    let code = this.codes.get(bytes);
    if (!code) this.codes.set(bytes, (code = new Code(emitted.bytes)));
    const variant = { key, emitted, code };
    this.known.set(key, variant);
    this.recent.use(variant, sizeOf(variant));
    return variant;
  }
}

/** The cache of all devices in the process. */
export const variants = new VariantCache(MAX_BYTES);
