// Selects the engine that runs a device's shaders: compiled code where platform and kernel allow it, else the
// interpreter.
import type { Inlines } from '../../codegen/wasm/inlines';
import { parseInlines } from '../../codegen/wasm/inlines';
import { inlinesOf } from '../../kernels';

/** `auto` uses `jit` if it is available. */
export type Engine = 'auto' | 'jit' | 'interpreter';
export const engines: readonly Engine[] = ['auto', 'jit', 'interpreter'];

/** What the compiler needs from the kernel. */
export interface Toolchain {
  readonly inlines: Inlines;
  /** Equal for equal inlines. */
  readonly key: number;
  /** The inlines as the kernel contains them. */
  readonly section: Uint8Array;
}

interface EngineQuestion {
  readonly engine: Engine;
  readonly simd: boolean;
  readonly immediate: boolean;
  /** The kernel build that the device uses. */
  readonly kernel: WebAssembly.Module;
}

/**
 * Returns null for the interpreter. Throws if `jit` is requested but unavailable, with a message that names a remedy.
 */
export function chooseEngine({ engine, simd, immediate, kernel }: EngineQuestion): Toolchain | null {
  if (engine === 'interpreter') return null;
  // The scalar kernel and the oracle were requested explicitly and only support the interpreter, so there is nothing to
  // warn about.
  if (!simd || immediate)
    return engine === 'auto'
      ? null
      : refuse(
          simd
            ? 'the oracle is always interpreted: leave out immediate: true'
            : 'the scalar kernel does not support compiled shaders: leave out simd: false'
        );
  const section = inlinesOf(kernel);
  const reason =
    section === null
      ? 'this kernel build does not support compiled shaders: set kernelUrl '
        + 'to the folder with the files of this package version'
      : platformRefusal();
  if (section !== null && reason === null) return toolchain(section);
  if (engine === 'jit') refuse(reason!);
  warnOnce(reason!);
  return null;
}

function refuse(reason: string): never {
  throw new Error(`create({ engine: 'jit' }): ${reason}, or use engine: 'auto', which falls back to the interpreter`);
}

/** The smallest valid module: magic number and version. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

function platformRefusal(): string | null {
  try {
    new WebAssembly.Module(EMPTY_MODULE);
    return null;
  } catch (error) {
    return (
      'this platform does not compile WebAssembly at run time '
      + `(${error instanceof Error ? error.message : String(error)}): allow 'wasm-unsafe-eval' in the page's `
      + 'Content-Security-Policy'
    );
  }
}

let warned = false;

/** Warns once per process that shaders are interpreted, and why. */
export function warnOnce(reason: string): void {
  if (warned) return;
  warned = true;
  console.warn(`Rasterloom: shaders are interpreted: ${reason}. Pictures are the same, but take longer`);
}

/** One entry per kernel build, so a process has only a few. */
const toolchains: Toolchain[] = [];

function toolchain(section: Uint8Array): Toolchain {
  const known = toolchains.find(
    (each) => each.section.length === section.length && each.section.every((byte, i) => byte === section[i])
  );
  if (known) return known;
  const made = { inlines: parseInlines(section), key: toolchains.length, section };
  toolchains.push(made);
  return made;
}
