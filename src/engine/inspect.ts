// Checks a WGSL module and shows the resulting code, for `inspectShader`. It uses the front end and the code generators
// of createShaderModule and createRenderPipeline, but needs no device.

import { locate, renderDiagnostic, type Diagnostic } from '../base/diagnostics';
import { ProgramTooLargeError } from '../base/errors';
import { parseInlines } from '../codegen/wasm/inlines';
import { chooseBuild, inlinesOf, type KernelSource } from '../kernels';
import { createMemory } from '../memory';
import { createRenderDevice, defaultRenderOptions } from '../render';
import { typeName } from '../wgsl/type-store';
import type { InterfaceVariable } from '../wgsl/hir';
import { ShaderProgram, type ResolvedEntry } from './front-end';
import { declarationsOf, type ShaderDeclarations } from './inspect-declarations';
import { inspectCode, lazy, type CompilerEnvironment, type ShaderCode } from './inspect-code';

/** A GPUCompilationMessage as an ordinary object, with additional members. */
export interface ShaderMessage {
  readonly type: 'error' | 'warning' | 'info';
  /** Stable identifier of the mistake: `unknown-identifier`. */
  readonly code: string;
  readonly message: string;
  /** Position in the module. Lines and columns start at 1; columns count UTF-16 code units. */
  readonly lineNum: number;
  readonly linePos: number;
  /** Offset from the start of the module in UTF-16 code units. */
  readonly offset: number;
  readonly length: number;
  /** The rendered message of several lines: position, source line, carets and notes. */
  readonly text: string;
}

/** An `override` of a module. */
export interface ShaderOverride {
  readonly name: string;
  /** Value of `@id`; null if there is none. */
  readonly id: number | null;
  readonly type: string;
  readonly hasDefault: boolean;
}

/** One input or output of an entry point. Structs are split into their members. */
export interface ShaderVariable {
  readonly name: string;
  readonly type: string;
  readonly location: number | null;
  readonly builtin: string | null;
  /** The interpolation, for example `perspective, centroid`; null if none is specified. */
  readonly interpolate: string | null;
}

/** A resource that an entry point uses. */
export interface ShaderResource {
  readonly name: string;
  readonly group: number;
  readonly binding: number;
  readonly kind:
    'uniform' | 'storage' | 'read-only-storage' | 'texture' | 'storage-texture' | 'sampler' | 'comparison-sampler';
  readonly type: string;
  /** Minimum size of a buffer binding in bytes; null for other resources. */
  readonly minBindingSize: number | null;
}

/** An entry point of a module, with its interface and its code. */
export interface ShaderEntryPoint {
  readonly name: string;
  readonly stage: 'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation' | 'fragment' | 'compute';
  /**
   * Reason why no pipeline can use the entry point, otherwise null. Possible reasons are a feature that Rasterloom does
   * not support yet, an override without a value, or a shader that is too large. If there is a reason, the lists are
   * empty.
   */
  readonly problem: string | null;
  /** Invocations per workgroup in x, y and z; null if it is no compute stage. */
  readonly workgroupSize: readonly [number, number, number] | null;
  readonly inputs: readonly ShaderVariable[];
  readonly outputs: readonly ShaderVariable[];
  /** Resources that the entry point uses, directly or through functions. */
  readonly resources: readonly ShaderResource[];
  /** Size of its `var<immediate>` in bytes; 0 if it uses none. */
  readonly immediateSize: number;
  /** The code that it is compiled to; null if there is a `problem`. */
  readonly code: ShaderCode | null;
}

/** Result of `inspectShader`. */
export interface ShaderReport {
  /** True if no message is an error, so that createShaderModule accepts the module. */
  readonly valid: boolean;
  /** In the order of the source text. */
  readonly messages: readonly ShaderMessage[];
  readonly overrides: readonly ShaderOverride[];
  /** In the order of the source text; empty for a module with errors. */
  readonly entryPoints: readonly ShaderEntryPoint[];
  /**
   * Functions and variables at module scope, with the option `declarations`; null for a module with errors, and without
   * values for its overrides.
   */
  readonly declarations?: ShaderDeclarations | null;
}

function messageOf(source: string, diagnostic: Diagnostic): ShaderMessage {
  const { code, severity, message, span, notes } = diagnostic;
  const { line, column } = locate(source, span.start);
  return {
    type: severity,
    code,
    message: [message, ...(notes ?? []).map((note) => note.message)].join('\n'),
    lineNum: line,
    linePos: column,
    offset: span.start,
    length: span.end - span.start,
    text: renderDiagnostic(source, diagnostic),
  };
}

function variableOf({ name, type, io }: InterfaceVariable): ShaderVariable {
  const { interpolation } = io;
  return {
    name,
    type: typeName(type),
    location: io.location ?? null,
    builtin: io.builtin ?? null,
    interpolate: interpolation === undefined ? null : `${interpolation.type}, ${interpolation.sampling}`,
  };
}

function resourceOf({ hir, sizes }: ResolvedEntry, global: number): ShaderResource {
  const { name, type, space, access, binding } = hir.globals[global]!;
  const common = { name, type: typeName(type), group: binding!.group, binding: binding!.binding };
  switch (type.kind) {
    case 'texture':
    case 'storage-texture':
      return { ...common, kind: type.kind, minBindingSize: null };
    case 'sampler':
      return { ...common, kind: type.comparison ? 'comparison-sampler' : 'sampler', minBindingSize: null };
    default:
      return {
        ...common,
        kind: space === 'uniform' ? 'uniform' : access === 'read' ? 'read-only-storage' : 'storage',
        minBindingSize: sizes.binding(global),
      };
  }
}

const interfaceOf = (
  resolved: ResolvedEntry
): Pick<ShaderEntryPoint, 'workgroupSize' | 'inputs' | 'outputs' | 'resources' | 'immediateSize'> => ({
  workgroupSize: resolved.entry.workgroupSize,
  inputs: resolved.entry.inputs.map(variableOf),
  outputs: resolved.entry.outputs.map(variableOf),
  resources: resolved.entry.resources
    .map((index) => resourceOf(resolved, index))
    .sort((a, b) => a.group - b.group || a.binding - b.binding),
  immediateSize: resolved.sizes.immediate,
});

function inspectEntry(
  program: ShaderProgram,
  { name, stage }: Pick<ShaderEntryPoint, 'name' | 'stage'>,
  constants: ReadonlyMap<string, number>,
  maker: CompilerEnvironment
): ShaderEntryPoint {
  const without = (problem: string): ShaderEntryPoint => ({
    name,
    stage,
    problem,
    workgroupSize: null,
    inputs: [],
    outputs: [],
    resources: [],
    immediateSize: 0,
    code: null,
  });
  const resolved = program.resolve(name, constants);
  if (typeof resolved === 'string') return without(resolved);
  try {
    const code = inspectCode(program.lower(resolved), maker);
    return { name, stage, problem: null, ...interfaceOf(resolved), code };
  } catch (error) {
    if (error instanceof ProgramTooLargeError) return without(error.message);
    throw error;
  }
}

/** Checks `code` with `features`, and shows what each of its entry points is compiled to. */
export function inspect(
  code: string,
  constants: ReadonlyMap<string, number>,
  features: ReadonlySet<string>,
  maker: CompilerEnvironment,
  withDeclarations: boolean
): ShaderReport {
  const program = new ShaderProgram(code, maker.math, features);
  const { checked } = program;
  const diagnostics = [...program.diagnostics].sort((a, b) => a.span.start - b.span.start);
  return {
    valid: checked.valid,
    messages: diagnostics.map((diagnostic) => messageOf(code, diagnostic)),
    overrides: checked.overrides.map(({ name, id, type, hasDefault }) => ({
      name,
      id,
      type: typeName(type),
      hasDefault,
    })),
    entryPoints: checked.valid
      ? checked.entryPoints.map((entry) => inspectEntry(program, entry, constants, maker))
      : [],
    ...(withDeclarations && { declarations: declarationsIn(program, constants) }),
  };
}

function declarationsIn(program: ShaderProgram, constants: ReadonlyMap<string, number>): ShaderDeclarations | null {
  const hir = program.declarations(constants);
  return hir && declarationsOf(hir);
}

/** Arena size in bytes. Nothing is drawn here, so it is small. */
const MIN_ARENA_BYTES = 1 << 16;

/** Loads the kernel's functions for constant folding, and its code for inlining in the JIT. */
export async function openCompiler(kernelSource: KernelSource): Promise<CompilerEnvironment> {
  const { constantMath } = await createRenderDevice({
    ...defaultRenderOptions,
    engine: 'interpreter',
    kernelSource,
    arenaBytes: MIN_ARENA_BYTES,
  });
  const { shared } = createMemory(1);
  const kernel = await kernelSource(chooseBuild(shared, true));
  const inlines = lazy(() => {
    const bytes = inlinesOf(kernel);
    return bytes && parseInlines(bytes);
  });
  return { math: constantMath, inlines, sharedMemory: shared };
}
