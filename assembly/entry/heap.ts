/** First address after the kernel's constant tables: what lies below is read-only. */
export function heapBase(): usize { return __heap_base; }
