// Suggestions for mistyped words.

/** Returns the closest candidate whose edit distance is at most a third of its letters, if any. */
export function closestWord(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const most = Math.max(1, Math.floor(candidate.length / 3));
    // The difference in length is a lower bound of the distance, so long words are not compared.
    if (Math.abs(word.length - candidate.length) > most) continue;
    const distance = editDistance(word, candidate);
    if (distance < least && distance <= most) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2] + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length];
}
