/** Device memory is exhausted, or a request is larger than the budget. The API turns it into a GPUOutOfMemoryError. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}
