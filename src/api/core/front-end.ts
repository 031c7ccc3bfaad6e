// What the API needs of the shader front end before an engine is loaded: pure functions on types and interfaces.

export { SUBGROUP_SIZE } from '../../wgsl/subgroup-size';
export { typeName } from '../../wgsl/type-store';
export { LANGUAGE_FEATURES } from '../../wgsl';
export type { EntryPoint } from '../../wgsl';
export type { GlobalVariable, InterfaceVariable, Type } from '../../wgsl/hir';
export type { ResolvedEntry, ShaderProgram } from '../../engine';
