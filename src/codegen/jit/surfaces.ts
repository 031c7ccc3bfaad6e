// Loads and stores of surfaces and images, and loads of samples of textures. Each is a call into the kernel for one
// quad, through a record (SURFACE ACCESS, IMAGE ACCESS: assembly/layout) after the texture sites.

import { SURFACE_WITHOUT_STATES } from '../../../assembly/layout/surface/surface-codes';
import { ImageAccess, SurfaceAccess } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { Operation } from '../control';
import { i32, v128 } from '../wasm/expression';
import type { Imports } from './frame';
import type { Sites } from './sites';
import type { Values } from './values';

const channels = (texel: number): number[] => [0, 16, 32, 48].map((offset) => texel + offset);

const surfaceResults = [...channels(SurfaceAccess.texel), SurfaceAccess.known, SurfaceAccess.state];

/** Offsets of the operands and results of an access in its record, and the kernel's functions. */
interface Kind {
  readonly bytes: number;
  /** Null: the access does not depend on which lanes are active. */
  readonly lanes: number | null;
  readonly operands: readonly number[];
  readonly results: readonly number[];
  readonly load: keyof Imports & `load${string}`;
  readonly store: (keyof Imports & `store${string}`) | null;
}
const kinds: Readonly<Record<'texture' | 'surface' | 'image', Kind>> = {
  texture: {
    bytes: SurfaceAccess.bytes,
    lanes: null,
    operands: [SurfaceAccess.x, SurfaceAccess.y, SurfaceAccess.mask],
    results: surfaceResults,
    load: 'loadSamplesQuad',
    store: null,
  },
  surface: {
    bytes: SurfaceAccess.bytes,
    lanes: SurfaceAccess.lanes,
    operands: [SurfaceAccess.x, SurfaceAccess.y, SurfaceAccess.mask, ...channels(SurfaceAccess.texel)],
    results: surfaceResults,
    load: 'loadSurfaceQuad',
    store: 'storeSurfaceQuad',
  },
  image: {
    bytes: ImageAccess.bytes,
    lanes: ImageAccess.lanes,
    operands: [ImageAccess.x, ImageAccess.y, ImageAccess.z, ...channels(ImageAccess.texel)],
    results: channels(ImageAccess.texel),
    load: 'loadImageQuad',
    store: 'storeImageQuad',
  },
};

export class TexelAccesses {
  private readonly kind: Kind;
  /** Offset of the record, which all accesses use in turn. */
  private readonly record: number;

  constructor(
    private readonly values: Values,
    private readonly sites: Sites,
    kind: keyof typeof kinds
  ) {
    this.kind = kinds[kind];
    const isUsed = values.program.resources.some(
      (resource) => resource.kind === kind && (resource.kind !== 'texture' || resource.multisampled)
    );
    this.record = isUsed ? sites.takeMemory(this.kind.bytes) : 0;
  }

  load(operation: Operation): void {
    const { values, kind } = this;
    const { instruction } = operation;
    // The last result of a load of samples is the state.
    const isUnwanted = kind.results === surfaceResults && values.needs.uses[instruction.results.at(-1)!] === 0;
    this.access(operation, values.frame.imports[kind.load], isUnwanted ? SURFACE_WITHOUT_STATES : 0);
    instruction.results.forEach((result, k) => {
      if (values.needs.uses[result]! > 0)
        values.keep(result, v128.load(values.frame.sites, this.offset + kind.results[k]!));
    });
  }

  store(operation: Operation): void {
    const { store } = this.kind;
    if (store === null) return unreachable('jit: a store to a texture that is read');
    this.access(operation, this.values.frame.imports[store], 0);
  }

  private get offset(): number {
    return this.sites.memoryOffset(this.record);
  }

  /** Calls the kernel for the lanes that are active and not discarded. `flags` are combined with the resource index. */
  private access(operation: Operation, callee: number, flags: number): void {
    const { values, offset, kind } = this;
    const { args, imm } = operation.instruction;
    const {
      quad: { killed },
      frame: { writer, sites, warp },
    } = values;
    if (kind.lanes !== null) {
      const exec = values.lanesOf(operation) ?? values.frame.splat(~0);
      writer.store(sites, v128.andNot(exec, killed), offset + kind.lanes);
    }
    args.forEach((id, k) => writer.store(sites, values.value(id), offset + kind.operands[k]!));
    writer.run(callee, warp, i32.constant(imm | flags), i32.sum(sites, i32.constant(offset)));
  }
}
