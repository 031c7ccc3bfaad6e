// Immediate data: https://www.w3.org/TR/webgpu/#dom-gpubindingcommandsmixin-setimmediates

import type { PipelineLayoutCore } from '../resources/bind-layout';
import { dataPart, copyUnshared } from '../idl/data-part';
import type { DeviceCore, Fail } from '../core/device-core';
import { needArguments, u32 } from '../idl/idl';
import type { StageProgram } from './pipeline-layout';

/**
 * Indices of the 32-bit words of immediate data that a pipeline's shaders use, without padding. Draw calls need all of
 * them to be set.
 */
export type ImmediateWords = ReadonlySet<number>;

interface ImmediateLayout {
  readonly device: DeviceCore;
  readonly layout: PipelineLayoutCore | 'auto';
}

/** Collects the words that the shaders use; refuses variables that exceed the layout. */
export function immediateWords(
  programs: readonly StageProgram[],
  { device, layout }: ImmediateLayout,
  no: Fail
): ImmediateWords {
  const words = new Set<number>();
  // With `layout: 'auto'`, the whole range of the device is available.
  const room = layout === 'auto' ? device.limits.maxImmediateSize : layout.immediateSize;
  for (const { hir, entry, sizes } of programs) {
    if (entry.immediate === null) continue;
    const { name } = hir.globals[entry.immediate]!;
    const bytes = sizes.immediate;
    if (bytes > room)
      no(
        `var<immediate> ${name} of entry point "${entry.name}" takes ${bytes} bytes, `
          + `more than ${layout === 'auto' ? 'maxImmediateSize' : "the layout's immediateSize"} ${room}`
      );
    for (const word of sizes.immediateWords) words.add(word);
  }
  return words;
}

interface PipelineWithImmediates {
  readonly called: string;
  readonly parts: { readonly immediates: ImmediateWords };
}

/** Arguments of setImmediates. */
export interface ImmediateRange {
  readonly offset: number;
  readonly data: Uint8Array;
}
export function immediateRange(args: readonly unknown[]): ImmediateRange {
  const call = 'setImmediates';
  needArguments(call, args.length, 2);
  const offset = u32(args[0], `${call}: rangeOffset`);
  return { offset, data: dataPart(call, args.slice(1)) };
}

/** The immediate data of a pass or bundle. */
export class Immediates {
  /** Replaced by a copy on each change, because recorded draw calls refer to it. */
  #words: Uint32Array | null = null;
  readonly #set = new Set<number>();

  constructor(private readonly device: DeviceCore) {}

  set({ offset, data }: ImmediateRange, no: Fail): void {
    const { maxImmediateSize: most } = this.device.limits;
    if (offset % 4 !== 0) no(`rangeOffset ${offset} is not a multiple of 4`);
    if (offset + data.length > most) no(`rangeOffset ${offset} + ${data.length} bytes exceed maxImmediateSize ${most}`);
    const words = new Uint32Array(most / 4);
    if (this.#words) words.set(this.#words);
    words.set(new Uint32Array(copyUnshared(data).buffer), offset / 4);
    for (let word = offset / 4; word < (offset + data.length) / 4; word++) this.#set.add(word);
    this.#words = words;
  }

  /** Resets the data, as if nothing had been set. */
  forget(): void {
    this.#words = null;
    this.#set.clear();
  }

  /** Returns the data for a pipeline's draw calls; null if its shaders use none. */
  for(pipeline: PipelineWithImmediates, no: Fail): Uint32Array | null {
    const { immediates } = pipeline.parts;
    if (immediates.size === 0) return null;
    for (const word of immediates)
      if (!this.#set.has(word))
        no(
          `${pipeline.called} needs immediate data at byte ${word * 4} that are not set; `
            + `call setImmediates(${word * 4}, …)`
        );
    return this.#words;
  }
}
