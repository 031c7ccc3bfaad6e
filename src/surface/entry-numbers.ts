// Numbers of page entries in sparse page tables (layout/texture/texture-stream.ts): ranges of 32 bits that no two
// textures of a device share.
import { OutOfMemoryError } from '../memory';

const NUMBERS = 2 ** 32;

export class EntryNumbers {
  /** Ends of the ranges in use, by their first numbers. */
  private readonly taken = new Map<number, number>();

  /**
   * Takes `count` numbers in sequence. `label` names the texture.
   * @throws OutOfMemoryError
   */
  take(count: number, label: string): number {
    let first = 0;
    for (const [from, end] of [...this.taken].sort(([a], [b]) => a - b)) {
      if (from - first >= count) break;
      first = end;
    }
    if (first + count > NUMBERS)
      throw new OutOfMemoryError(
        `${label} has too many pages to be numbered with those of other textures; use larger pages`
      );
    this.taken.set(first, first + count);
    return first;
  }

  free(first: number): void {
    this.taken.delete(first);
  }
}
