// For tests, which are TypeScript.
export function figure(value: unknown): string;
