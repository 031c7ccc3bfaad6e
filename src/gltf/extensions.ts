// The glTF extensions: which are drawn, which do not change a picture, and which are not supported.
import type { GLTF } from '@gltf-transform/core';
import { plain } from '../base/printable';
import { ModelError } from './errors';

/** Extensions that this package reads itself. */
const DECODED = [
  'EXT_lights_image_based',
  'EXT_meshopt_compression',
  'KHR_accessor_float16',
  'KHR_accessor_float64',
  'KHR_animation_pointer',
  'KHR_draco_mesh_compression',
  'KHR_mesh_primitive_restart',
  'KHR_mesh_quantization',
  'KHR_meshopt_compression',
];

/** Extensions that glTF-Transform reads and that are drawn. */
const DRAWN = [
  'EXT_mesh_gpu_instancing',
  'EXT_texture_avif',
  'EXT_texture_webp',
  'KHR_lights_punctual',
  'KHR_materials_anisotropy',
  'KHR_materials_clearcoat',
  'KHR_materials_diffuse_transmission',
  'KHR_materials_dispersion',
  'KHR_materials_emissive_strength',
  'KHR_materials_ior',
  'KHR_materials_iridescence',
  'KHR_materials_pbrSpecularGlossiness',
  'KHR_materials_sheen',
  'KHR_materials_specular',
  'KHR_materials_transmission',
  'KHR_materials_unlit',
  'KHR_materials_variants',
  'KHR_materials_volume',
  'KHR_node_visibility',
  'KHR_texture_basisu',
  'KHR_texture_transform',
];

/**
 * Extensions that carry data about the model, which a picture does not show: the model's place on Earth, sounds,
 * physics, behaviour, and simpler versions of its nodes.
 */
const METADATA = [
  'AGI_articulations',
  'AGI_stk_metadata',
  'CESIUM_RTC',
  'EXT_feature_metadata',
  'EXT_instance_features',
  'EXT_mesh_features',
  'EXT_structural_metadata',
  'FB_geometry_metadata',
  'GODOT_single_root',
  'KHR_audio_emitter',
  'KHR_implicit_shapes',
  'KHR_interactivity',
  'KHR_node_hoverability',
  'KHR_node_selectability',
  'KHR_physics_rigid_bodies',
  'KHR_xmp',
  'KHR_xmp_json_ld',
  'MSFT_audio_emitter',
  'MSFT_lod',
  'MSFT_packing_normalRoughnessMetallic',
  'MSFT_packing_occlusionRoughnessMetallic',
];

/** Extensions of materials. Without them, a surface is drawn, but simpler than intended. */
const isMaterialExtension = (name: string): boolean => name.startsWith('KHR_materials_');

export const SUPPORTED_EXTENSIONS: ReadonlySet<string> = new Set([...DECODED, ...DRAWN]);
export const METADATA_EXTENSIONS: ReadonlySet<string> = new Set(METADATA);

/** Whether glTF-Transform reads the extension. */
export function isRead(name: string): boolean {
  return DRAWN.includes(name);
}

/** Returns a warning for each extension that is left out. @throws ModelError if the file cannot do without one */
export function checkExtensions(json: GLTF.IGLTF): string[] {
  const missing = (name: string): boolean => !SUPPORTED_EXTENSIONS.has(name) && !METADATA_EXTENSIONS.has(name);
  for (const name of json.extensionsRequired ?? []) {
    if (missing(name))
      throw new ModelError(`The model requires the glTF extension ${plain(name)}, which is not supported.`, {
        code: 'unsupported',
      });
  }
  return [...new Set(json.extensionsUsed ?? [])]
    .filter(missing)
    .map((name) =>
      isMaterialExtension(name)
        ? `${plain(name)} is not drawn: materials that use it look simpler than they should.`
        : `${plain(name)} is not supported: what it describes is left out.`
    );
}

/** What happens to an extension, as the end of a sentence. */
export function extensionState(name: string): string {
  if (SUPPORTED_EXTENSIONS.has(name)) return 'drawn';
  return METADATA_EXTENSIONS.has(name) ? 'no effect on pictures' : 'not supported';
}
