// Why pages of three.js are not drawn here, or differ from Dawn's pictures, by their names without `webgpu_`.

export const CAUSES = {};
