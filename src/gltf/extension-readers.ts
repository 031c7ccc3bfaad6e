// The readers of glTF-Transform for the extensions that are drawn. Pages load them for the first model that has any
// (extension-readers.browser.ts).
import type { Extension } from '@gltf-transform/core';
import {
  EXTMeshGPUInstancing,
  EXTTextureAVIF,
  EXTTextureWebP,
  KHRLightsPunctual,
  KHRMaterialsAnisotropy,
  KHRMaterialsClearcoat,
  KHRMaterialsDiffuseTransmission,
  KHRMaterialsDispersion,
  KHRMaterialsEmissiveStrength,
  KHRMaterialsIOR,
  KHRMaterialsIridescence,
  KHRMaterialsPBRSpecularGlossiness,
  KHRMaterialsSheen,
  KHRMaterialsSpecular,
  KHRMaterialsTransmission,
  KHRMaterialsUnlit,
  KHRMaterialsVariants,
  KHRMaterialsVolume,
  KHRNodeVisibility,
  KHRTextureBasisu,
  KHRTextureTransform,
} from '@gltf-transform/extensions';

type Readers = (typeof Extension)[];

const READERS: Readers = [
  EXTMeshGPUInstancing,
  EXTTextureAVIF,
  EXTTextureWebP,
  KHRLightsPunctual,
  KHRMaterialsAnisotropy,
  KHRMaterialsClearcoat,
  KHRMaterialsDiffuseTransmission,
  KHRMaterialsDispersion,
  KHRMaterialsEmissiveStrength,
  KHRMaterialsIOR,
  KHRMaterialsIridescence,
  KHRMaterialsPBRSpecularGlossiness,
  KHRMaterialsSheen,
  KHRMaterialsSpecular,
  KHRMaterialsTransmission,
  KHRMaterialsUnlit,
  KHRMaterialsVariants,
  KHRMaterialsVolume,
  KHRNodeVisibility,
  KHRTextureBasisu,
  KHRTextureTransform,
];

export const loadExtensionReaders = (): Promise<Readers> => Promise.resolve(READERS);
