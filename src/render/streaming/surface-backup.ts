// Copies multisampled storage textures before shaders write to them, so that the writes can be undone
// (streamed-pass.ts). Also saves and restores the state and counters of the workers' load/store units.
import { LoadStoreUnit, Surface as SurfaceRecord } from '../../../build/layout';
import type { Kernel } from '../../kernels';
import type { Surface, Surfaces } from '../../surface';
import { storesSamples } from '../resources/surface-record';
import type { Writer } from './write-backup';
import type { View } from '../resources/views';
import type { Workspace } from '../workspace/workspace';

export interface SurfaceBackupParts {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly surfaces: Surfaces;
  readonly workspace: Workspace;
}

/** Bytes of SurfaceRecord.moved and movedFull. Moving data for the copy and for the restoration must not count. */
const COUNTS_BYTES = 16;

interface Copy {
  readonly to: Surface;
  readonly counts: Uint8Array;
}

export class SurfaceBackup {
  private readonly copies = new Map<Surface, Copy>();
  /** The heads of the LSU records while no accesses are pending. */
  private units: readonly Uint8Array[] = [];

  /** `what`: the owner of the copies, for out-of-memory messages. */
  constructor(
    private readonly parts: SurfaceBackupParts,
    private readonly writers: readonly Writer[],
    private readonly what: string
  ) {}

  /** Copies all surfaces that the writers may store to. Throws OutOfMemoryError. */
  save(): void {
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

  /** Restores the copied contents. */
  restore(): void {
    const {
      kernel: { exports },
      surfaces,
      workspace,
    } = this.parts;
    for (const [surface, { to, counts }] of this.copies) {
      // After `clear`, at least as many pages are free as the surface held when it was copied, because no other surface
      // has changed meanwhile.
      surface.clear();
      surfaces.copy(to, surface);
      this.countsOf(surface).set(counts);
    }
    // Abandoned tiles have left their stores in the units' caches.
    workspace.loadStoreUnitRecords.forEach((record, index) => {
      const head = this.units[index]!;
      const words = new Uint32Array(head.buffer);
      exports.unitInit(record, words[LoadStoreUnit.pixelBytes >>> 2]!, words[LoadStoreUnit.tiles >>> 2]!);
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

/** The surfaces that shaders may store to, without duplicates. */
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
