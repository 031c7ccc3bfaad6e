// Sizes of accessor elements, by the codes and names of the file format (glTF 2.0 §3.6.2.2).

export const HALF_FLOAT = 5131;
export const DOUBLE = 5130;
export const FLOAT = 5126;

const COMPONENT_BYTES: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  [FLOAT]: 4,
  [DOUBLE]: 8,
  [HALF_FLOAT]: 2,
};
const TYPE_COMPONENTS: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};

/** Bytes of a component, or 0 if the type is unknown. */
export const componentBytes = (componentType: unknown): number =>
  typeof componentType === 'number' ? (COMPONENT_BYTES[componentType] ?? 0) : 0;

/** Components of an element, or 0 if the type is unknown. */
export const typeComponents = (type: unknown): number =>
  typeof type === 'string' && Object.hasOwn(TYPE_COMPONENTS, type) ? TYPE_COMPONENTS[type] : 0;
