// A builtin function on its way into operations: what it is called with, and what a rule makes of that.

import type { ScalarType, ValueId } from '../../ir';
import type { SamplerType, StorageTextureType, TextureType, Type } from '../types';
import type { IrBuilder } from './builder';
import type { ResolvedPlace } from './memory';

export type BuiltinArgument =
  | {
    readonly kind: 'value';
    readonly type: Type;
    readonly values: readonly ValueId[];
    /** Which leaves the source has as constants. */
    readonly constants: () => readonly boolean[];
  }
  | {
    readonly kind: 'handle';
    readonly type: TextureType | StorageTextureType | SamplerType;
    readonly resource: number;
  }
  | { readonly kind: 'pointer'; readonly place: ResolvedPlace };

/** Arguments as leaves, with the first argument's scalar type. */
export interface BuiltinCall {
  readonly builder: IrBuilder;
  readonly args: readonly (readonly ValueId[])[];
  readonly types: readonly Type[];
  readonly scalar: ScalarType;
  /** Which leaves of the arguments the source has as constants. */
  readonly constants: readonly (() => readonly boolean[])[];
}
export type BuiltinRule = (call: BuiltinCall) => readonly ValueId[];
