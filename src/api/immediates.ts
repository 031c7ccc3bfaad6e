// Immediate data: https://www.w3.org/TR/webgpu/#dom-gpubindingcommandsmixin-setimmediates

import type { PipelineLayoutCore } from './bind-layout';
import { dataPart, unshared } from './data-part';
import type { DeviceCore } from './device-core';
import { minBindingSize, wordsOf } from './front-end';
import { needArguments, u32 } from './idl';
import type { No } from './pipeline-checks';
import type { StageProgram } from './pipeline-layout';

/** Words of the immediate data that programs of a pipeline use, padding left out: draws need all of them set. */
export type ImmediateWords = ReadonlySet<number>;

interface Home { readonly device: DeviceCore; readonly layout: PipelineLayoutCore | 'auto' }

/** Words that the programs need; what does not fit into the layout is refused. */
export function immediateWords(
  programs: readonly StageProgram[], { device, layout }: Home, no: No
): ImmediateWords {
  const words = new Set<number>();
  // Of `layout: 'auto'`, all that a device gives.
  const room = layout === 'auto' ? device.limits.maxImmediateSize : layout.immediateSize;
  for (const { hir, entry } of programs) {
    if (entry.immediate === null) continue;
    const { name, type } = hir.globals[entry.immediate]!, bytes = minBindingSize(type);
    if (bytes > room)
      no(
        `var<immediate> ${name} of entry point "${entry.name}" takes ${bytes} bytes, more than ${layout === 'auto' ? 'maxImmediateSize' : 'the layout\'s immediateSize'} ${room}`
      );
    for (const word of wordsOf(type)) words.add(word);
  }
  return words;
}

function operationError(message: string): never {
  throw new DOMException(message, 'OperationError');
}

/** Arguments of setImmediates. */
export interface ImmediateRange { readonly offset: number; readonly data: Uint8Array }
export function immediateRange(args: readonly unknown[]): ImmediateRange {
  const call = 'setImmediates';
  needArguments(call, args.length, 2);
  const offset = u32(args[0], `${call}: rangeOffset`);
  return { offset, data: dataPart(call, args.slice(1), operationError) };
}

/** What a pass or bundle has been given. */
export class Immediates {
  /** Replaced, never changed: draws hold it. */
  #words: Uint32Array | null = null;
  readonly #set = new Set<number>();

  constructor(private readonly device: DeviceCore) {}

  set({ offset, data }: ImmediateRange, no: No): void {
    const { maxImmediateSize: most } = this.device.limits;
    if (offset % 4 !== 0) no(`rangeOffset ${offset} is not a multiple of 4`);
    if (offset + data.length > most)
      no(`rangeOffset ${offset} + ${data.length} bytes exceed maxImmediateSize ${most}`);
    const words = new Uint32Array(most / 4);
    if (this.#words) words.set(this.#words);
    words.set(new Uint32Array(unshared(data).buffer), offset / 4);
    for (let word = offset / 4; word < (offset + data.length) / 4; word++) this.#set.add(word);
    this.#words = words;
  }

  /** As if nothing had been set. */
  forget(): void {
    this.#words = null;
    this.#set.clear();
  }

  /** What draws of a pipeline get; null where its programs need nothing. */
  for(
    { called, parts }: { readonly called: string; readonly parts: { readonly immediates: ImmediateWords } }, no: No
  ): Uint32Array | null {
    if (parts.immediates.size === 0) return null;
    for (const word of parts.immediates)
      if (!this.#set.has(word))
        no(`${called} needs immediate data that are not set, at byte ${word * 4}; call setImmediates(${word * 4}, …)`);
    return this.#words;
  }
}
