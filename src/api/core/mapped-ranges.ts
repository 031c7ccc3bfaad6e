// Memory of mapped ranges, which device.destroy() detaches: https://www.w3.org/TR/webgpu/#dom-gpudevice-destroy

/**
 * The ArrayBuffers that getMappedRange() has returned and that are still attached. It keeps none of them alive: an
 * application that drops a mapped buffer drops its ranges, too.
 */
export class MappedRanges {
  readonly #arrays = new Set<WeakRef<ArrayBuffer>>();

  /** Adds a range and returns its handle for `detach`. */
  add(array: ArrayBuffer): WeakRef<ArrayBuffer> {
    const known = new WeakRef(array);
    this.#arrays.add(known);
    forgotten.register(array, { arrays: this.#arrays, known }, known);
    return known;
  }

  /** Detaches a range, so that the application cannot access its memory any more. */
  detach(known: WeakRef<ArrayBuffer>): void {
    this.#arrays.delete(known);
    forgotten.unregister(known);
    const array = known.deref();
    // ArrayBuffer.prototype.transfer and `detached` do not exist before Node 21.
    if (array === undefined) return;
    try {
      structuredClone(array, { transfer: [array] });
    } catch (error) {
      // The application has already transferred the range, so nothing is left to detach.
      if (array.byteLength > 0) throw error;
    }
  }

  detachAll(): void {
    for (const known of [...this.#arrays]) this.detach(known);
  }
}

interface Known {
  readonly arrays: Set<WeakRef<ArrayBuffer>>;
  readonly known: WeakRef<ArrayBuffer>;
}
const forgotten = new FinalizationRegistry<Known>(({ arrays, known }) => arrays.delete(known));
