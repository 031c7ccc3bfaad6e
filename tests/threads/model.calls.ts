// The buffers, textures and API calls of the model test, as data that a failure can print. Every number is valid,
// because slots of buffers and textures have fixed shapes. Calls are rejected only for resources that are mapped or
// destroyed at that moment.
import { GPUTextureUsage } from '../support/flags';

type Role = 'data' | 'args' | 'upload' | 'read';
interface BufferShape {
  readonly role: Role;
  readonly size: number;
  readonly usage: number;
}
const DATA = 4 | 8 | 16 | 32 | 64 | 128;
const ARGS = 4 | 8 | 256;
const UPLOAD = 2 | 4;
const READ = 1 | 8;
const data: BufferShape = { role: 'data', size: 2048, usage: DATA };
const upload: BufferShape = { role: 'upload', size: 1024, usage: UPLOAD };
/** Large enough for the widest picture, with rows of 1024 bytes. */
const read: BufferShape = { role: 'read', size: 70 * 1024, usage: READ };
/**
 * Words of `args` are always small numbers, so that indirect draws are small: buffers with other words are never copied
 * into it.
 */
export const BUFFERS: readonly BufferShape[] = [
  data,
  data,
  data,
  { role: 'args', size: 256, usage: ARGS },
  upload,
  upload,
  read,
  read,
  read,
];
export const slotsOf = (...roles: readonly Role[]): readonly number[] =>
  BUFFERS.flatMap(({ role }, slot) => (roles.includes(role) ? [slot] : []));

export interface TextureShape {
  readonly format: 'rgba8unorm' | 'r32uint' | 'depth32float';
  readonly width: number;
  readonly height: number;
  readonly samples: 1 | 4;
  readonly usage: number;
}
const ALL = 1 | 2 | 4 | 16;
/** Eight tiles of 64×64, two, and one. */
export const WIDE = { width: 200, height: 70 };
const MIDDLE = { width: 72, height: 40 };
const SMALL = { width: 16, height: 16 };
export const TEXTURES: readonly TextureShape[] = [
  { format: 'rgba8unorm', ...WIDE, samples: 1, usage: ALL },
  { format: 'rgba8unorm', ...MIDDLE, samples: 1, usage: ALL },
  { format: 'r32uint', ...WIDE, samples: 1, usage: ALL },
  { format: 'r32uint', ...SMALL, samples: 1, usage: ALL },
  { format: 'rgba8unorm', ...WIDE, samples: 4, usage: ALL },
  { format: 'rgba8unorm', ...WIDE, samples: 4, usage: ALL },
  { format: 'depth32float', ...WIDE, samples: 1, usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT },
  { format: 'depth32float', ...WIDE, samples: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT },
];
/** Single-sampled colors: written, copied in parts and sampled. */
export const SINGLE_SAMPLED = [0, 1, 2, 3];
export const MULTISAMPLED = [4, 5];
export const DEPTH = 6;
export const MULTISAMPLED_DEPTH = 7;

export type Box = readonly [x: number, y: number, width: number, height: number];
/** Bytes of a storage binding; a uniform one has 16. Both are aligned to this value. */
export const BINDING_BYTES = 256;

export interface Draw {
  /** Vertices from a storage buffer, by index; or from vertex buffers, a word per vertex and one per instance. */
  readonly source: 'pulled' | 'fetched';
  readonly topology: 'triangle-list' | 'point-list';
  readonly effect: 'opaque' | 'discard' | 'texture';
  readonly blend: 'none' | 'add' | 'subtract' | 'reverse-subtract';
  readonly writeMask: number;
  readonly sampleMask: number;
  readonly depth: 'less' | 'always';
  readonly uniform: readonly [buffer: number, at: number];
  readonly storage: readonly [buffer: number, at: number];
  readonly texture: number;
  readonly count: number;
  readonly first: number;
  readonly instances: number;
  readonly firstInstance: number;
  /** Of the word per vertex, and of the one per instance. */
  readonly vertices: readonly [buffer: number, at: number];
  readonly perInstance: readonly [buffer: number, at: number];
  readonly index: {
    readonly buffer: number;
    readonly at: number;
    readonly format: GPUIndexFormat;
    readonly baseVertex: number;
  } | null;
  /** Offset of the counts in `args`; null: the counts above apply. */
  readonly indirect: number | null;
  readonly scissor: Box | null;
}
export interface ColorAttachment {
  readonly texture: number;
  /** The clear value as a word of four bytes; null: loads. */
  readonly clear: number | null;
  readonly store: GPUStoreOp;
  readonly resolve: number | null;
}
export interface Pass {
  readonly do: 'pass';
  readonly colors: readonly ColorAttachment[];
  readonly depth: {
    readonly texture: number;
    /** In sixteenths. */
    readonly clear: number | null;
    readonly store: GPUStoreOp;
  } | null;
  readonly draws: readonly Draw[];
}
export type Command =
  | {
      readonly do: 'copy buffer';
      readonly from: number;
      readonly at: number;
      readonly to: number;
      readonly into: number;
      readonly bytes: number;
    }
  | { readonly do: 'clear buffer'; readonly buffer: number; readonly at: number; readonly bytes: number }
  | {
      readonly do: 'buffer to texture';
      readonly buffer: number;
      readonly at: number;
      readonly pitch: number;
      readonly texture: number;
      readonly box: Box;
    }
  | {
      readonly do: 'texture to buffer';
      readonly buffer: number;
      readonly at: number;
      readonly pitch: number;
      readonly texture: number;
      readonly box: Box;
    }
  | {
      readonly do: 'copy texture';
      readonly from: number;
      readonly box: Box;
      readonly to: number;
      readonly x: number;
      readonly y: number;
    }
  | Pass;

/** What the caller does when a mapping is ready, within the promise's reaction. */
export type Call =
  | {
      readonly call: 'writeBuffer';
      readonly buffer: number;
      readonly at: number;
      readonly words: number;
      readonly seed: number;
      /** The caller changes its array right after the call. */
      readonly scribble: boolean;
    }
  | {
      readonly call: 'writeTexture';
      readonly texture: number;
      readonly box: Box;
      readonly seed: number;
      readonly scribble: boolean;
    }
  | { readonly call: 'submit'; readonly lists: readonly (readonly Command[])[] }
  /** Command buffers that wait for a later `submit kept`. */
  | { readonly call: 'encode'; readonly list: readonly Command[] }
  | { readonly call: 'submit kept' }
  | {
      readonly call: 'mapAsync';
      readonly buffer: number;
      readonly at: number;
      readonly bytes: number;
      readonly then: readonly Call[];
    }
  /** Compares mapped contents with the model, and overwrites them. */
  | { readonly call: 'use'; readonly buffer: number; readonly seed: number }
  | { readonly call: 'unmap'; readonly buffer: number }
  | { readonly call: 'destroy buffer'; readonly buffer: number }
  | { readonly call: 'destroy texture'; readonly texture: number }
  /** Replaces a resource; the previous one is destroyed, or dropped without a reference. */
  | { readonly call: 'new buffer'; readonly buffer: number; readonly destroys: boolean; readonly mapped: boolean }
  | { readonly call: 'new texture'; readonly texture: number; readonly destroys: boolean }
  /** Replaces each resource that is destroyed. */
  | { readonly call: 'replace what is destroyed' }
  | { readonly call: 'onSubmittedWorkDone' }
  /** Pipelines are created again when needed; those that no queued work refers to may be collected. */
  | { readonly call: 'forget pipelines' }
  | { readonly call: 'collect garbage' };
export type Step =
  | Call
  | {
      readonly call: 'wait';
      readonly for: 'a microtask' | 'a turn' | 'a millisecond' | 'the oldest promise' | 'all promises';
    };
