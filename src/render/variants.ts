// Emitted modules of the whole process, by what they were emitted from: devices share them, and with them the native
// code that the engine has made. What devices use is found as long as they use it; what nobody uses any more is kept
// while it is among the last ones used.
import { Recent } from '../base/recent';
import { Weakly } from '../base/weakly';
import type { JitModule } from '../codegen/jit';

/** Characters of keys and bytes of modules that are kept unused: the engine's own code is some ten times as large. */
const MOST_BYTES = 8 << 20;
/**
 * Modules of up to so many bytes are compiled on the calling thread. V8 only checks them there, 0.2 ms for 36 KB, and
 * makes its first code of a function when it is called; to and from another thread it takes 0.1 … 9 ms on a busy
 * machine with two cores.
 */
const AT_ONCE = 128 << 10;

/** The WebAssembly of variants that differ in constants alone, which are not part of it. */
export class Code {
  /** The functions were run often enough that the engine has made its best code of them. */
  warm = false;
  private module: WebAssembly.Module | null = null;
  private compiling: Promise<WebAssembly.Module> | null = null;

  constructor(readonly bytes: Uint8Array<ArrayBuffer>) {}

  get isCompiled(): boolean { return this.module !== null; }

  /** It takes no time worth another thread. */
  get isSmall(): boolean { return this.module !== null || this.bytes.length <= AT_ONCE; }

  /** Compiles, large modules off the thread where the engine can. Rejects as WebAssembly.compile does. */
  async compile(): Promise<WebAssembly.Module> {
    if (this.isSmall) {
      try {
        return this.compileNow();
      } catch (error) {
        // Some browsers refuse to do it on their main thread.
        if (!(error instanceof RangeError)) throw error;
      }
    }
    this.compiling ??= WebAssembly.compile(this.bytes);
    try {
      return this.module ??= await this.compiling;
    } finally {
      // A failure is not remembered: another time it may be allowed.
      this.compiling = null;
    }
  }

  /** Compiles at once. Throws as `new WebAssembly.Module` does. */
  compileNow(): WebAssembly.Module {
    return this.module ??= new WebAssembly.Module(this.bytes);
  }
}

/** What was emitted for a program. */
export interface Variant { readonly key: string; readonly emitted: JitModule; readonly code: Code }

const sizeOf = ({ key, emitted }: Variant): number => key.length + emitted.bytes.length;

export class VariantCache {
  private readonly recent: Recent<Variant>;
  private readonly known = new Weakly<Variant>();
  private readonly codes = new Weakly<Code>();
  private readonly latin1 = new TextDecoder('latin1');

  constructor(mostBytes: number) { this.recent = new Recent(mostBytes); }

  /** Variants that can be found. */
  get size(): number { return this.known.size; }

  /** Variants that are kept for who may want them, the bytes of their keys and modules, and how many were let go. */
  get kept(): { readonly keptModules: number; readonly keptBytes: number; readonly dropped: number } {
    const { size, bytes, dropped } = this.recent;
    return { keptModules: size, keptBytes: bytes, dropped };
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
    if (!code) this.codes.set(bytes, code = new Code(emitted.bytes));
    const variant = { key, emitted, code };
    this.known.set(key, variant);
    this.recent.use(variant, sizeOf(variant));
    return variant;
  }
}

/** One for all devices of the process. */
export const variants = new VariantCache(MOST_BYTES);
