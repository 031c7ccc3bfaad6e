// Types for the tests, which are written in TypeScript.
interface Frame {
  color: GPUTexture;
  render(): void;
}
type Make = (device: GPUDevice, o: { width: number; height: number; samples: number }) => Frame | Promise<Frame>;
export const frames: Record<string, Make>;
export const scenes: Record<string, Make>;
export function readback(device: GPUDevice, texture: GPUTexture): Promise<Uint8Array<ArrayBuffer>>;
