// The functions and variables that a module declares, for `inspectShader({ declarations: true })`.
import { typeName } from '../wgsl/type-store';
import type { FunctionDef, GlobalVariable, Hir } from '../wgsl/hir';
import type { StorageTextureType, TextureType, Type } from '../wgsl/types';

type NumericScalar = 'i32' | 'u32' | 'f32' | 'f16';

/** A type, with its layout in buffers. `name` is that in WGSL. Sizes and offsets are in bytes. */
export type ShaderType = { readonly name: string } & (
  | { readonly kind: 'scalar'; readonly scalar: NumericScalar | 'bool' }
  | { readonly kind: 'vector'; readonly size: 2 | 3 | 4; readonly scalar: NumericScalar | 'bool' }
  | { readonly kind: 'matrix'; readonly columns: 2 | 3 | 4; readonly rows: 2 | 3 | 4; readonly scalar: 'f32' | 'f16' }
  /** `count`: null for arrays of any length. */
  | { readonly kind: 'array'; readonly element: ShaderType; readonly count: number | null; readonly stride: number }
  | { readonly kind: 'struct'; readonly size: number; readonly members: readonly ShaderStructMember[] }
  | { readonly kind: 'atomic'; readonly scalar: 'i32' | 'u32' }
  | { readonly kind: 'pointer'; readonly space: string; readonly access: Access; readonly target: ShaderType }
  | ({ readonly kind: 'texture' } & Pick<TextureType, 'dimension' | 'sampled' | 'multisampled'>)
  /** `format`: as in the API, such as rgba8unorm. */
  | ({ readonly kind: 'storage-texture' } & Pick<StorageTextureType, 'dimension' | 'format' | 'access'>)
  | { readonly kind: 'sampler'; readonly comparison: boolean }
  /** Buffers of the language extension buffer_view. */
  | { readonly kind: 'other' }
);
type Access = 'read' | 'read_write' | 'write';

/** A member of a struct type. */
export interface ShaderStructMember {
  readonly name: string;
  readonly type: ShaderType;
  readonly offset: number;
}

/** A function of a module. */
export interface ShaderFunction {
  readonly name: string;
  /** Position of its declaration, from 0, in UTF-16 code units. */
  readonly offset: number;
  readonly parameters: readonly { readonly name: string; readonly type: ShaderType }[];
  /** Null if it returns no value. */
  readonly returns: ShaderType | null;
}

/** A variable at module scope. */
export interface ShaderModuleVariable {
  readonly name: string;
  readonly type: ShaderType;
  /** Address space: private, workgroup, uniform, storage, immediate or handle. */
  readonly space: string;
  readonly access: Access;
  /** Null for variables without a binding. */
  readonly group: number | null;
  readonly binding: number | null;
}

/** What a module declares. */
export interface ShaderDeclarations {
  readonly functions: readonly ShaderFunction[];
  readonly variables: readonly ShaderModuleVariable[];
}

export const declarationsOf = ({ functions, globals }: Hir): ShaderDeclarations => ({
  functions: functions.map(functionOf),
  variables: globals.map(variableOf),
});

function functionOf({ name, span, locals, parameterCount, returnType }: FunctionDef): ShaderFunction {
  return {
    name,
    offset: span.start,
    parameters: locals.slice(0, parameterCount).map((local) => ({ name: local.name, type: shaderType(local.type) })),
    returns: returnType.kind === 'void' ? null : shaderType(returnType),
  };
}

const variableOf = ({ name, type, space, access, binding }: GlobalVariable): ShaderModuleVariable => ({
  name,
  type: shaderType(type),
  space,
  access,
  group: binding?.group ?? null,
  binding: binding?.binding ?? null,
});

function shaderType(type: Type): ShaderType {
  const name = typeName(type);
  switch (type.kind) {
    case 'scalar':
      return { name, kind: 'scalar', scalar: type.scalar as NumericScalar };
    case 'vector':
      return { name, kind: 'vector', size: type.size, scalar: type.scalar as NumericScalar };
    case 'matrix':
      return { name, kind: 'matrix', columns: type.columns, rows: type.rows, scalar: type.scalar as 'f32' };
    case 'array':
      return { name, kind: 'array', element: shaderType(type.element), count: type.count, stride: type.stride };
    case 'struct': {
      const members = type.members.map((each) => ({
        name: each.name,
        type: shaderType(each.type),
        offset: each.offset,
      }));
      return { name, kind: 'struct', size: type.size, members };
    }
    case 'pointer':
      return { name, kind: 'pointer', space: type.space, access: type.access, target: shaderType(type.store) };
    case 'atomic':
      return { name, kind: 'atomic', scalar: type.scalar };
    case 'texture': {
      const { dimension, sampled, multisampled } = type;
      return { name, kind: 'texture', dimension, sampled, multisampled };
    }
    case 'storage-texture':
      return { name, kind: 'storage-texture', dimension: type.dimension, format: type.format, access: type.access };
    case 'sampler':
      return { name, kind: 'sampler', comparison: type.comparison };
    default:
      return { name, kind: 'other' };
  }
}
