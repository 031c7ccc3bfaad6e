// What a pass is drawn to, as pipelines and bundles must fit it: https://www.w3.org/TR/webgpu/#render-pass-layout

import type { FormatInfo } from '../surface/formats';

export interface RenderLayout {
  readonly what: 'pass' | 'bundle';
  readonly formats: readonly (FormatInfo | null)[];
  readonly depthFormat: FormatInfo | null;
  readonly samples: number;
  readonly depthReadOnly: boolean;
  readonly stencilReadOnly: boolean;
}
