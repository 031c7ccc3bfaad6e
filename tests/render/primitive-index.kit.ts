export const names = [
  'compiled',
  'compiled, on this thread',
  'interpreted',
  'interpreted by four',
  'scalar',
  'overtaking',
  'many chunks',
  'oracle',
] as const;
export const devices = new Map<string, Promise<GPUDevice>>();
