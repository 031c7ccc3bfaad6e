// Pictures of elements in a page.
import type { Locator, Page } from '@playwright/test';
import { TIME } from './register';

const isLocator = (value: unknown): value is Locator =>
  typeof (value as Locator | null)?.screenshot === 'function' && typeof (value as Locator).evaluate === 'function';

/**
 * Reads the pixels of a canvas, and takes a screenshot of other elements and pages. Other values are returned as they
 * are.
 */
export async function pictureOf(value: unknown): Promise<unknown> {
  if (!isLocator(value)) return value;
  if ('goto' in value) return (value as unknown as Page).screenshot();
  const url = await value.evaluate(async (element, time) => {
    if (!(element instanceof HTMLCanvasElement)) return null;
    // Frames of virtual time are already shown.
    if (!(time in globalThis))
      for (let i = 0; i < 2; i++) await new Promise((done) => void requestAnimationFrame(done));
    return element.toDataURL('image/png');
  }, TIME);
  return url === null ? value.screenshot() : Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
