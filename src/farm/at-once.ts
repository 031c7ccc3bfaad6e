// Bounded concurrency.

/**
 * Does the same for all items, for at most `most` of them at a time, and returns the results in the order of the items.
 * If one fails, no other is begun, and the rejection comes when none is running.
 */
export async function mapAtOnce<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>
): Promise<Result[]> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const results: Result[] = [];
  const errors: unknown[] = [];
  let begun = 0;
  const run = async (): Promise<void> => {
    try {
      while (errors.length === 0) {
        const step = await iterator.next();
        if (step.done || errors.length > 0) return;
        const place = begun++;
        results[place] = await work(step.value);
      }
    } catch (error) {
      errors.push(error);
    }
  };
  await Promise.all(Array.from({ length: most }, run));
  if (errors.length > 0) throw errors[0];
  return results;
}
