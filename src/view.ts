/**
 * The element `<rasterloom-view>`, which shows a glTF model in a page. Importing this module defines it; on a server,
 * the import has no effect.
 */
import { RasterloomView } from './view/element';

export type { GltfSource } from './gltf/library/library';
export type { GltfInfo, GltfPoint } from './gltf/library/types';
export { RasterloomView };
export type { RasterloomViewAttributes } from './view/attributes';
export type { Orbit } from './view/orbit';

declare global {
  interface HTMLElementTagNameMap {
    'rasterloom-view': RasterloomView;
  }
}

const elements = globalThis.customElements as CustomElementRegistry | undefined;
if (elements && !elements.get('rasterloom-view')) elements.define('rasterloom-view', RasterloomView);
