// The fonts of install(), for text on 2D canvases.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawingAdvice, drawingPackage } from './package';

/** @throws TypeError or Error if the option is invalid, or a file does not exist */
export function useFonts(fonts: unknown): void {
  if (fonts === undefined) return;
  if (typeof fonts !== 'object' || fonts === null)
    throw new TypeError("install: fonts must be an object of families and files, such as { Lato: 'fonts/Lato.ttf' }");
  const kit = drawingPackage();
  if (kit === null) throw new Error(`install: the option fonts ${drawingAdvice()}`);
  for (const [family, value] of Object.entries(fonts)) {
    const file = fileOf(family, value);
    if (kit.GlobalFonts.registerFromPath(file, family) === null)
      throw new Error(`install: fonts: the file ${file} of ${family} is not a font`);
  }
}

function fileOf(family: string, value: unknown): string {
  const { href = value } = Object(value) as { readonly href?: unknown };
  if (typeof href !== 'string') throw new TypeError(`install: fonts: ${family} must be a path or a file: URL`);
  const path = /^file:/i.test(href) ? fileURLToPath(href) : href;
  if (existsSync(path)) return path;
  throw new Error(`install: fonts: the file ${path} of ${family} does not exist`);
}
