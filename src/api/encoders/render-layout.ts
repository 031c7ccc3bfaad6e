// Formats of a pass that its pipelines and bundles must match: https://www.w3.org/TR/webgpu/#render-pass-layout

import type { FormatInfo } from '../../surface/formats';

export interface RenderLayout {
  readonly purpose: 'pass' | 'bundle';
  readonly formats: readonly (FormatInfo | null)[];
  readonly depthFormat: FormatInfo | null;
  readonly samples: number;
  readonly depthReadOnly: boolean;
  readonly stencilReadOnly: boolean;
}
