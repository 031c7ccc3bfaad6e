// For tests, which are TypeScript.
import type { Section } from './sections.mjs';
export function page(sections: readonly Section[]): string;
export function picture(sections: readonly Section[]): string | undefined;
