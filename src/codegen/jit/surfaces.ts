// Loads from and stores to surfaces: each is a call of the kernel for one quad, through a SURFACE ACCESS record
// (assembly/layout/surface-access.ts) behind the texture sites.

import { SurfaceAccess } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { Instruction } from '../../ir';
import { i32, v128 } from '../wasm/expression';
import type { Sites } from './sites';
import type { Values } from './values';

const TEXEL = [0, 16, 32, 48].map((offset) => SurfaceAccess.texel + offset);
const OPERANDS = [SurfaceAccess.x, SurfaceAccess.y, SurfaceAccess.mask, ...TEXEL];
const RESULTS = [...TEXEL, SurfaceAccess.known, SurfaceAccess.state];

export class SurfaceAccesses {
  /** Offset of the record, which all accesses use one after the other. */
  private readonly record: number;

  constructor(private readonly values: Values, private readonly sites: Sites) {
    this.record = values.program.resources.some(({ kind }) => kind === 'surface') ? sites.takeMemory(SurfaceAccess.bytes) : 0;
  }

  load(instruction: Instruction): void {
    const { values } = this;
    this.access(instruction, values.frame.imports.loadSurfaceQuad);
    instruction.results.forEach((result, k) => {
      if (values.needs.uses[result]! > 0) values.keep(result, v128.load(values.frame.sites, this.offset + RESULTS[k]!));
    });
  }

  store(instruction: Instruction): void { this.access(instruction, this.values.frame.imports.storeSurfaceQuad); }

  private get offset(): number { return this.sites.memoryOffset(this.record); }

  /** Calls the kernel for the lanes that are on and not killed. */
  private access({ args, imm }: Instruction, callee: number): void {
    const { values, offset } = this;
    const { quad: { killed }, frame: { writer, sites, warp } } = values;
    const exec = values.exec ?? unreachable('jit: a surface access in a program without a mask');
    writer.store(sites, v128.andNot(exec, killed), offset + SurfaceAccess.lanes);
    args.forEach((id, k) => writer.store(sites, values.value(id), offset + OPERANDS[k]!));
    writer.run(callee, warp, i32.constant(imm), i32.sum(sites, i32.constant(offset)));
  }
}
