/** Device memory is exhausted, or a request exceeds the budget. The API reports it as a GPUOutOfMemoryError. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}
