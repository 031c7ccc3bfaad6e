// Atomic operations whose results a random shader uses. Which invocation gets which result depends on the order, but
// the set of all results does not. Tickets name each invocation that took one, each link of a chain of exchanges was
// another's value, and each slot is claimed once.

/** Maximum number of (invocation, statement) pairs that are recorded individually; of further ones, only the count. */
const ROOM = 2048;
/** Number of statements that are distinguished. */
export const SITES = 8;
export const PLACES = 4;

/** Words of the buffer: counts, the last link, the slots, the owners of tickets, previous links. */
const HEAD = 4;
export const TICKET_WORDS = HEAD + PLACES + 2 * ROOM;

export const ticketsText = `
struct Tickets {
  count: atomic<u32>, links: atomic<u32>, last: atomic<u32>, claims: atomic<u32>,
  claimed: array<atomic<u32>, ${PLACES}>, taken: array<u32, ${ROOM}>, befores: array<u32, ${ROOM}>,
}`;
export const takeText = (value: string): string =>
  `{ let turn = atomicAdd(&tickets.count, 1u); if (turn < ${ROOM}u) { tickets.taken[turn] = ${value}; } }`;
export const linkText = (value: string): string =>
  [
    `{ let before = atomicExchange(&tickets.last, ${value}); let turn = atomicAdd(&tickets.links, 1u);`,
    `if (turn < ${ROOM}u) { tickets.befores[turn] = before; } }`,
  ].join(' ');
export const claimText = (place: number, value: string): string =>
  [
    `if (atomicCompareExchangeWeak(&tickets.claimed[${place}], 0u, ${value}).exchanged)`,
    '{ atomicAdd(&tickets.claims, 1u); }',
  ].join(' ');

/** The same in plain TypeScript. */
export class Tickets {
  private readonly taken: number[] = [];
  private readonly links: number[] = [];
  private readonly claimed = new Set<number>();

  take(value: number): void {
    this.taken.push(value >>> 0);
  }
  link(value: number): void {
    this.links.push(value >>> 0);
  }
  claim(place: number): void {
    this.claimed.add(place);
  }

  /** The part that does not depend on the order. */
  get left(): Uint32Array<ArrayBuffer> {
    const { taken, links, claimed } = this;
    const places = Array.from({ length: PLACES }, (_, place) => (claimed.has(place) ? 1 : 0));
    return together([taken.length, links.length, claimed.size, ...places], taken, [0, ...links]);
  }
}

/** The same for a device's results. */
export function ticketsIn(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const [count, links, last, claims] = words as unknown as [number, number, number, number];
  const claimed = [...words.subarray(HEAD, HEAD + PLACES)].map((value) => (value === 0 ? 0 : 1));
  const taken = words.subarray(HEAD + PLACES, HEAD + PLACES + Math.min(count, ROOM));
  const befores = words.subarray(HEAD + PLACES + ROOM, HEAD + PLACES + ROOM + Math.min(links, ROOM));
  return together([count, links, claims, ...claimed], [...taken], [...befores, last]);
}

function together(
  head: readonly number[],
  taken: readonly number[],
  links: readonly number[]
): Uint32Array<ArrayBuffer> {
  const [count, linked] = head as [number, number];
  const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
  return Uint32Array.from([...head, ...(count > ROOM ? [] : sorted(taken)), ...(linked > ROOM ? [] : sorted(links))]);
}
