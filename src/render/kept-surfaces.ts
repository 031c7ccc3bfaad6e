// Multi-sample storage textures that programs write, copied before they are run, so that they can be put back
// (late-pass.ts); and with them what the load/store units of the workers have in work, and have counted.
import { LoadStoreUnit, Surface as SurfaceRecord } from '../../build/layout';
import type { Kernel } from '../kernels';
import type { Surface, Surfaces } from '../surface';
import { storesSamples } from './surface-record';
import type { Writer } from './taken-back';
import type { View } from './views';
import type { Workspace } from './workspace';

export interface KeptSurfacesParts {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly surfaces: Surfaces;
  readonly workspace: Workspace;
}

/** SurfaceRecord.moved and movedFull: what is moved to keep it, and to put it back, does not count. */
const COUNTS_BYTES = 16;

interface Copy { readonly to: Surface; readonly counts: Uint8Array }

export class KeptSurfaces {
  private readonly copies = new Map<Surface, Copy>();
  /** The heads of the LSU records, with nothing in work. */
  private units: readonly Uint8Array[] = [];

  /** `what`: whose copies they are, for messages that memory is short. */
  constructor(
    private readonly parts: KeptSurfacesParts, private readonly writers: readonly Writer[],
    private readonly what: string
  ) {}

  /** Copies all that the writers may store to. Throws OutOfMemoryError. */
  keep(): void {
    const { surfaces, workspace } = this.parts;
    for (const surface of written(this.writers)) {
      const counts = this.countsOf(surface).slice();
      const to = this.copies.get(surface)?.to ?? surfaces.createCopy(surface, this.what);
      this.copies.set(surface, { to, counts });
      to.clear();
      surfaces.copy(surface, to);
      this.countsOf(surface).set(counts);
    }
    this.units = workspace.loadStoreUnitRecords.map((record) => this.bytes(record, LoadStoreUnit.bytes).slice());
  }

  /** Puts back what was there. */
  putBack(): void {
    const { kernel: { exports }, surfaces, workspace } = this.parts;
    for (const [surface, { to, counts }] of this.copies) {
      // As many pages are free then as it held, at the least: only it has given some away, or taken some, meanwhile.
      surface.clear();
      surfaces.copy(to, surface);
      this.countsOf(surface).set(counts);
    }
    // Tiles that were given up have left what they stored in the caches.
    workspace.loadStoreUnitRecords.forEach((record, index) => {
      const head = this.units[index]!;
      exports.unitInit(record, new Uint32Array(head.buffer)[LoadStoreUnit.pixelBytes >>> 2]!);
      this.bytes(record, head.length).set(head);
    });
  }

  free(): void {
    for (const { to } of this.copies.values()) to.destroy();
    this.copies.clear();
  }

  private countsOf({ address }: Surface): Uint8Array {
    return this.bytes(address + SurfaceRecord.moved, COUNTS_BYTES);
  }

  private bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.parts.memory.buffer, address, length);
  }
}

/** The surfaces that programs may store to, each once. */
function written(writers: readonly Writer[]): ReadonlySet<Surface> {
  const surfaces = new Set<Surface>();
  for (const { resources, groups } of writers)
    for (const resource of resources) {
      if (!storesSamples(resource)) continue;
      const bound = groups[resource.group]!.group.entries.get(resource.binding)!;
      if (bound.kind === 'surface') surfaces.add((bound.view as View).plane.surface!);
    }
  return surfaces;
}
