// A pass with a depth attachment.

export type Draw = (pass: GPURenderPassEncoder) => void;
export const COMPARES: GPUCompareFunction[] = [
  'never',
  'less',
  'equal',
  'less-equal',
  'greater',
  'not-equal',
  'greater-equal',
  'always',
];
