// The memory of mapped ranges, which device.destroy() takes away from programs:
// https://www.w3.org/TR/webgpu/#dom-gpudevice-destroy

/**
 * The ArrayBuffers that getMappedRange() has handed out and that are still attached. It keeps none of them alive:
 * a program that drops a mapped buffer drops its ranges, too.
 */
export class MappedRanges {
  readonly #arrays = new Set<WeakRef<ArrayBuffer>>();

  /** Returns what `detach` takes. */
  add(array: ArrayBuffer): WeakRef<ArrayBuffer> {
    const known = new WeakRef(array);
    this.#arrays.add(known);
    forgotten.register(array, { arrays: this.#arrays, known }, known);
    return known;
  }

  /** The program cannot reach the range's memory any more. */
  detach(known: WeakRef<ArrayBuffer>): void {
    this.#arrays.delete(known);
    forgotten.unregister(known);
    const array = known.deref();
    // ArrayBuffer.prototype.transfer and `detached` are missing before Node 21.
    if (array === undefined) return;
    try {
      structuredClone(array, { transfer: [array] });
    } catch (error) {
      // The program has transferred the range to another place: nothing is left to take away.
      if (array.byteLength > 0) throw error;
    }
  }

  detachAll(): void {
    for (const known of [...this.#arrays]) this.detach(known);
  }
}

interface Known { readonly arrays: Set<WeakRef<ArrayBuffer>>; readonly known: WeakRef<ArrayBuffer> }
const forgotten = new FinalizationRegistry<Known>(({ arrays, known }) => arrays.delete(known));
