// Types for lowering builtin functions: their arguments, and the rules that turn them into operations.

import type { ScalarType, ValueId } from '../../ir';
import type { SamplerType, StorageTextureType, TextureType, Type } from '../types';
import type { IrBuilder } from './builder';
import type { ResolvedPlace } from './memory';

export type BuiltinArgument =
  | {
      readonly kind: 'value';
      readonly type: Type;
      readonly values: readonly ValueId[];
      /** Which leaves are constants in the source. */
      readonly constants: () => readonly boolean[];
    }
  | {
      readonly kind: 'handle';
      readonly type: TextureType | StorageTextureType | SamplerType;
      readonly resource: number;
    }
  | { readonly kind: 'pointer'; readonly place: ResolvedPlace };

/** Arguments as leaves, with the scalar type of the first argument. */
interface BuiltinCall {
  readonly builder: IrBuilder;
  readonly args: readonly (readonly ValueId[])[];
  readonly types: readonly Type[];
  readonly scalar: ScalarType;
  /** Which leaves of the arguments are constants in the source. */
  readonly constants: readonly (() => readonly boolean[])[];
}
export type BuiltinRule = (call: BuiltinCall) => readonly ValueId[];
