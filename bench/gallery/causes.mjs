// Why pages of three.js are not drawn here, or differ from Dawn's pictures, by their names without `webgpu_`.

/** Visible where much is smaller than a pixel: a point at x = 0.15 is drawn as one at 0.125. */
const ROUNDING = 'SwiftShader rounds vertices to 1/16 of a pixel';
const NOISE = 'noise by a hash of coordinates, such as fract(sin(x) * 43758), which amplifies the last bits';
const RANDOM = 'random numbers, of which the two sides draw different ones, because their asynchronous steps differ';
const COVERAGE = 'alpha-to-coverage, whose masks each implementation chooses';
const NETWORK = 'the page needs the network';
const WEBGL = 'a second renderer needs WebGL';
const VISITOR = 'plays a video, or waits for a click or a pointer';
const LARGE = 'a file of more than 4 MB, which a partial copy of the repository lacks';

const cause = (text, names) => Object.fromEntries(names.map((name) => [name, text]));

export const CAUSES = {
  ...cause(ROUNDING, ['camera', 'compute_birds', 'compute_particles', 'instance_mesh', 'instance_uniform']),
  ...cause(RANDOM, ['compute_particles_rain']),
  ...cause(COVERAGE, ['instance_points']),
  ...cause(NOISE, ['backdrop_area', 'compute_texture_pingpong']),
  ...cause(NETWORK, [
    'loader_gltf',
    'materials_texture_html',
    'postprocessing_ssgi_ballpool',
    'tsl_editor',
    'tsl_transpiler',
    'video_frame',
  ]),
  ...cause(WEBGL, ['storage_buffer', 'texturegather', 'texturegrad', 'xr_native_layers']),
  ...cause(VISITOR, ['video_panorama', 'compute_audio']),
  ...cause(LARGE, [
    'loader_gltf_anisotropy',
    'loader_gltf_compressed',
    'loader_gltf_iridescence',
    'loader_gltf_sheen',
    'loader_materialx',
    'materials_sss',
    'performance',
    'postprocessing_bloom',
    'postprocessing_sobel',
    'postprocessing_ssr_denoise',
    'shadowmap_opacity',
    'tonemapping',
    'tsl_wood',
  ]),
  hdr: 'all that it draws is brighter than white',
  furnace_test: 'all pixels are equal, as the page intends',
  upscaling_taau: 'needs a class that three@0.185.1 lacks',
};
