/** First address after the kernel's constant tables. Memory below it is read-only. */
export function heapBase(): usize {
  return __heap_base;
}
