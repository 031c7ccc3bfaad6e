// Windows that pages of three.js need to show something, by their names without `webgpu_`.
export const WINDOWS = {
  // Its pictures are below a heading, and only those that are wholly in the window are drawn.
  loader_texture_ktx2: { width: 1280, height: 720 },
};
