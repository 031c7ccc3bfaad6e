// Masked work for new compiled programs: warps of which no lane runs, on resources of nothing, in memory of its own that a pass under way
// does not see. What the functions compute there is looked at by nobody; all that they read is inside this memory.
import { CTX_PLANES, CTX_WARP, ENTRY_SHIFT, ENTRY_TRIANGLE, PACKER_BYTES, PACKER_COUNT, PACKER_ENTRIES } from '../../assembly/layout/context';
import { FORMAT_DEPTH32FLOAT, FORMAT_R32SINT, FORMAT_R32UINT, FORMAT_RGBA8UNORM } from '../../assembly/layout/formats';
import { LOOP_CHECK_INTERVAL, MAX_VARYINGS, REGISTER_BYTES, WARP_QUADS } from '../../assembly/layout/limits';
import * as P from '../../assembly/layout/program';
import * as T from '../../assembly/layout/texture';
import { TRI_PLANES, TRI_W } from '../../assembly/layout/triangle';
import type { IrResource } from '../ir';
import type { Kernel } from '../kernels';
import type { Allocator } from '../memory';
import { dimensionNumber } from './enums';
import { writeLevel } from './level';
import type { StageMemory } from './pipeline';

const CONTEXT_BYTES = CTX_PLANES;
const TRIANGLE_BYTES = TRI_PLANES + MAX_VARYINGS * 12;
/** Texels of the textures (a multisampled pixel, six faces), and what buffers hold: zeros. */
const ZERO_BYTES = 4096;

/** Pieces of one allocation, 16-byte aligned. */
class Pieces {
  bytes = 0;
  take(bytes: number): number {
    const at = this.bytes;
    this.bytes += (bytes + 15) & ~15;
    return at;
  }
}

/** For one stage of a pipeline that has changed over to compiled code. */
export class DummyWork {
  /** WARP record: what the functions are called with. */
  readonly warp: number;
  private readonly base: number;
  private readonly zeros: number;
  private readonly sampler: number;

  /** `registers`: of the stage's file. Throws OutOfMemoryError. */
  constructor(private readonly allocator: Allocator, private readonly memory: WebAssembly.Memory, kernel: Kernel, { program, memory: stage }: StageMemory, registers: number) {
    const { resources } = program;
    const pieces = new Pieces();
    const context = pieces.take(CONTEXT_BYTES);
    const file = pieces.take(registers * REGISTER_BYTES), zeros = pieces.take(ZERO_BYTES), triangle = pieces.take(TRIANGLE_BYTES);
    const packer = pieces.take(PACKER_BYTES), sampler = pieces.take(T.SAMPLER_BYTES), uniforms = pieces.take(stage.uniformWords * 4);
    const table = pieces.take(resources.length * P.RESOURCE_BYTES), textures = pieces.take(resources.length * T.TEXTURE_BYTES);
    const base = this.base = allocator.allocate(pieces.bytes, 'work to warm pipelines up');
    this.warp = base + context + CTX_WARP;
    this.zeros = base + zeros;
    this.sampler = base + sampler;
    this.writePacker(base + packer, base + triangle);
    resources.forEach((resource, i) => this.writeResource(resource, base + table + i * P.RESOURCE_BYTES, base + textures + i * T.TEXTURE_BYTES));
    this.writeConstants(stage.address, base + uniforms);
    const u32 = new Uint32Array(memory.buffer);
    const put = (field: number, value: number): void => { u32[(this.warp + field) >>> 2] = value; };
    put(P.WARP_PROGRAM, stage.address);
    put(P.WARP_REGISTERS, base + file);
    put(P.WARP_RESOURCES, base + table);
    put(P.WARP_QUAD_COUNT, WARP_QUADS);
    put(P.WARP_PACKER, base + packer);
    put(P.WARP_LOOP_BUDGET, LOOP_CHECK_INTERVAL);
    kernel.exports.bindProgram(this.warp, base + uniforms);
  }

  destroy(): void { this.allocator.free(this.base); }

  /** A draw's uniform block begins with the program's constants; its uniforms are zeros here. */
  private writeConstants(program: number, block: number): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const field = (offset: number): number => u32[(program + offset) >>> 2]!;
    const data = field(P.PROGRAM_CONSTANT_DATA) >>> 2;
    u32.copyWithin(block >>> 2, data, data + field(P.PROGRAM_CONSTANTS));
  }

  private writePacker(packer: number, triangle: number): void {
    const u32 = new Uint32Array(this.memory.buffer);
    u32[(packer + PACKER_COUNT) >>> 2] = WARP_QUADS;
    for (let i = 0; i < WARP_QUADS; i++) u32[(packer + PACKER_ENTRIES + (i << ENTRY_SHIFT) + ENTRY_TRIANGLE) >>> 2] = triangle;
    // 1/w is 1: nothing is divided by zero.
    new Float32Array(this.memory.buffer)[(triangle + TRI_W) >>> 2] = 1;
  }

  private writeResource(resource: IrResource, entry: number, textureRecord: number): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const put = (field: number, value: number): void => { u32[(entry + field) >>> 2] = value; };
    if (resource.kind === 'texture') {
      this.writeTexture(textureRecord, resource);
      put(P.RESOURCE_ADDRESS, textureRecord);
    } else if (resource.kind === 'sampler') {
      this.writeSampler(resource.comparison);
      put(P.RESOURCE_ADDRESS, this.sampler);
    } else if (resource.kind === 'surface') {
      // No lane runs that would access it.
      put(P.RESOURCE_ADDRESS, this.zeros);
    } else {
      put(P.RESOURCE_ADDRESS, this.zeros);
      put(P.RESOURCE_SIZE, Math.min(resource.minSize, ZERO_BYTES));
    }
  }

  /** One texel, in the format that most textures of the type have. */
  private writeTexture(record: number, { dimension, sampled, multisampled }: Extract<IrResource, { kind: 'texture' }>): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const put = (field: number, value: number): void => { u32[(record + field) >>> 2] = value; };
    put(T.TEXTURE_FORMAT, { f32: FORMAT_RGBA8UNORM, i32: FORMAT_R32SINT, u32: FORMAT_R32UINT, depth: FORMAT_DEPTH32FLOAT }[sampled]);
    put(T.TEXTURE_DIMENSION, dimensionNumber[dimension]);
    put(T.TEXTURE_WIDTH, 1);
    put(T.TEXTURE_HEIGHT, 1);
    put(T.TEXTURE_DEPTH, 1);
    put(T.TEXTURE_LAYERS, dimension.startsWith('cube') ? 6 : 1);
    put(T.TEXTURE_LEVELS, 1);
    put(T.TEXTURE_SAMPLES, multisampled ? 4 : 1);
    writeLevel(new DataView(this.memory.buffer, record, T.TEXTURE_BYTES), 0, { width: 1, height: 1, rowBytes: 64, layerBytes: 64 }, this.zeros);
    // A surface of no pixels.
    put(T.TEXTURE_SURFACE, this.zeros);
  }

  /** Trilinear, repeating: what most samplers are. */
  private writeSampler(comparison: boolean): void {
    const u32 = new Uint32Array(this.memory.buffer);
    const put = (field: number, value: number): void => { u32[(this.sampler + field) >>> 2] = value; };
    for (const field of [T.SAMPLER_MAG, T.SAMPLER_MIN, T.SAMPLER_MIPMAP]) put(field, T.FILTER_LINEAR);
    for (const field of [T.SAMPLER_ADDRESS_U, T.SAMPLER_ADDRESS_V, T.SAMPLER_ADDRESS_W]) put(field, T.ADDRESS_REPEAT);
    put(T.SAMPLER_COMPARE, comparison ? T.COMPARE_LESS : 0);
  }
}
