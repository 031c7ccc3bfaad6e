// Types of the element in React's JSX and Vue's templates, as published. React's types are represented by the part that
// the package extends.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../build/testing/frameworks/', import.meta.url));
const REACT = `
export interface HTMLAttributes<T> { className?: string; children?: unknown; onClick?: (event: { target: T }) => void }
export type DetailedHTMLProps<Attributes, T> = Attributes & { ref?: { current: T | null } };
export namespace JSX { interface IntrinsicElements { div: HTMLAttributes<HTMLDivElement> } }
`;
const FILES = {
  'react/index.d.ts': REACT,
  'react/jsx-runtime.d.ts': "export { JSX } from './index';",
  'react.tsx': `
import type {} from 'rasterloom/view/react';
import type { RasterloomView } from 'rasterloom/view';
const view: { current: RasterloomView | null } = { current: null };
export const shown = (
  <div><rasterloom-view ref={view} className="model" src="a.glb" alt="A" ground auto-rotate={15} samples={4} /></div>
);
export const info = view.current?.info?.animations;
// @ts-expect-error there are no 3 samples
export const three = <rasterloom-view src="a.glb" samples={3} />;
// @ts-expect-error there is no such attribute
export const other = <rasterloom-view source="a.glb" />;
`,
  'vue.ts': `
import type {} from 'rasterloom/view/vue';
import type { GlobalComponents } from 'vue';
type Props = InstanceType<GlobalComponents['rasterloom-view']>['$props'];
export const shown: Props = { src: 'a.glb', class: 'model', 'auto-rotate': 15, ground: true };
// @ts-expect-error renderers are two
export const other: Props = { renderer: 'browser' };
`,
};

test('templates of React and Vue know the element and its attributes', { timeout: 60_000 }, () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(`${FOLDER}${name}`), { recursive: true });
    writeFileSync(`${FOLDER}${name}`, text);
  }
  const program = ts.createProgram([`${FOLDER}react.tsx`, `${FOLDER}vue.ts`], {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.ReactJSX,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
    // Also for the published types.
    paths: { react: [`${FOLDER}react/index.d.ts`], 'react/jsx-runtime': [`${FOLDER}react/jsx-runtime.d.ts`] },
  });
  const messages = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n');
    return `${file?.fileName.slice(FOLDER.length)}: ${text}`;
  });
  expect(messages).toEqual([]);
});
