export const REASONS: readonly (readonly [pattern: RegExp, why: string])[];
export function reasonFor(key: string): string | undefined;
