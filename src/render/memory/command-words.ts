// Writes words into the memory for the records of a pass.
import type { CommandMemory } from './command-memory';
import { Words } from './words';

export class CommandWords extends Words {
  constructor(
    memory: WebAssembly.Memory,
    private readonly commands: CommandMemory
  ) {
    super(memory);
  }

  /** Allocates 16-byte aligned memory for a record. Its contents are undefined. */
  take(bytes: number): number {
    return this.commands.take(bytes);
  }

  /** Writes the words and returns their address. */
  put(words: ArrayLike<number>): number {
    const address = this.take(words.length * 4);
    this.now().u32.set(words, address >>> 2);
    return address;
  }

  /** Writes the numbers and returns their address; 0 if there are none. */
  table(numbers: ArrayLike<number>): number {
    return numbers.length === 0 ? 0 : this.put(numbers);
  }
}
