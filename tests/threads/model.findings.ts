// The first difference between a device and the model.

export class Findings {
  private failure: Error | null = null;

  fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new Error(String(error));
  }

  check(holds: boolean, message: () => string): void {
    if (!holds) this.fail(new Error(message()));
  }

  compare(what: string, given: Uint8Array, expected: Uint8Array): void {
    if (Buffer.compare(given, expected) === 0) return;
    const at = expected.findIndex((byte, i) => byte !== given[i]);
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(at, at + 8)).toString('hex');
    const count = expected.reduce((sum, byte, i) => sum + Number(byte !== given[i]), 0);
    this.fail(
      new Error(
        `${what}: ${given.length} bytes, of which ${count} differ; from ${at} on they are ${hex(given)}, `
          + `not ${hex(expected)}`
      )
    );
  }

  /** Throws the first difference. */
  throwFailure(where: string): void {
    if (this.failure) throw new Error(`${where}: ${this.failure.message}`, { cause: this.failure });
  }

  hasFailed(): boolean {
    return this.failure !== null;
  }
}
