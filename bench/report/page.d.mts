// Types for the tests, which are written in TypeScript.
import type { Drawing } from './draw.mjs';
import type { Section } from './sections.mjs';
export function draw(drawing: Drawing): string;
export function page(sections: readonly Section[]): string;
export function picture(sections: readonly Section[]): string | undefined;
