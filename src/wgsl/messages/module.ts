// Messages about declarations: module scope, structs, attributes, resources, entry points.

export const MODULE_MESSAGES = {
  redeclaration: (name: string) => `'${name}' is declared twice in this scope`,
  'cyclic-declaration': (name: string) => `the declaration of '${name}' depends on itself`,
  recursion: (cycle: string) => `functions may not call themselves: ${cycle}`,
  'unknown-extension': (what: string, name: string) => `unknown ${what} '${name}'`,
  'extension-needs-feature': (name: string, feature: string) =>
    `extension '${name}' needs the device feature '${feature}'; ask for it in requestDevice({ requiredFeatures })`,
  'extension-not-enabled': (what: string, name: string) =>
    `${what} is part of the extension '${name}', which this module does not enable`,
  'diagnostic-conflict': (name: string) => `rule '${name}' is given two severities`,
  'unknown-diagnostic-rule': (name: string) => `unknown diagnostic rule '${name}'`,

  'unknown-attribute': (name: string) => `unknown attribute '@${name}'`,
  'duplicate-attribute': (name: string) => `attribute '@${name}' is given twice`,
  'duplicate-member': (name: string) => `member '${name}' is declared twice`,
  'too-many-entry-points': (limit: number) => `this module has more than ${limit} entry points`,
  'too-much-reached': (limit: number) =>
    `the entry points up to this one reach more than ${limit} functions, calls, `
    + 'variables and built-in functions in total',
  'too-many-parameters': (name: string, limit: number) => `function '${name}' has more than ${limit} parameters`,
  'too-many-members': (name: string, limit: number) => `struct '${name}' has more than ${limit} members`,
  'member-type': (type: string) => `${type} cannot be the type of a struct member`,
  'runtime-array-not-last': () => 'a runtime-sized array must be the last member, and cannot be nested',
  'member-align': (align: number, least: number, type: string) =>
    `@align(${align}) must be a power of two and a multiple of ${least}, the alignment of ${type}`,
  'member-size': (size: number, least: number, type: string) =>
    `@size(${size}) is less than ${least}, the size of ${type}`,

  'missing-address-space': (name: string) => `'var ${name}' at module scope needs an address space`,
  'function-space-at-module-scope': () => "the address space 'function' is only for variables in functions",
  'store-type': (type: string, space: string, why: string) =>
    `${type} cannot be stored in the address space '${space}': ${why}`,
  'storage-write-only': () => "storage variables are 'read' or 'read_write'",
  'initializer-not-allowed': (space: string) =>
    `a variable in the address space '${space}' cannot have an initial value`,
  'missing-binding': (name: string) => `resource '${name}' needs @group and @binding`,
  'binding-not-allowed': (space: string) => `a variable in the address space '${space}' has no binding`,
  'duplicate-binding': (name: string, other: string, binding: string, entry: string) =>
    `'${name}' and '${other}' have the same ${binding} and are both used by '${entry}'`,
  'blend-src-without-location': (name: string) => `member '${name}' has @blend_src, so it needs @location(0)`,
  'blend-src-not-available': (name: string, side: string) =>
    `'${name}' has @blend_src, which is for fragment outputs, not for a ${side}`,
  'member-size-open': () => '@size requires a type with a fixed size, but this one ends with a runtime-sized array',
  'blend-src-pair': (name: string) =>
    `'${name}' must have @blend_src(0) and @blend_src(1), of one type, and nothing else with a @location`,
  'two-immediates': (entry: string, one: string, other: string) =>
    `'${entry}' uses both '${one}' and '${other}': an entry point has one 'var<immediate>' at most`,

  'override-type': (type: string) => `an override must be a scalar, found ${type}`,
  'override-without-type': (name: string) => `'override ${name}' needs a type or a default value`,
  'override-without-value': (name: string) => `override '${name}' has no default, and the pipeline gives no value`,
  'duplicate-override-id': (id: number) => `@id(${id}) is used twice`,
  'constant-not-representable': (value: string, name: string, type: string) =>
    `the pipeline constant ${value} for '${name}' cannot be represented as ${type}`,

  'two-stages': (name: string) => `'${name}' can have only one stage attribute`,
  'missing-workgroup-size': (name: string) => `compute entry point '${name}' needs @workgroup_size`,
  'workgroup-size-type': (type: string) => `@workgroup_size takes i32 or u32, found ${type}`,
  'workgroup-size-types': (one: string, other: string) =>
    `the arguments of @workgroup_size are all i32 or all u32, found ${one} and ${other}`,
  'barrier-not-uniform': (name: string) =>
    `'${name}' must be in uniform control flow: all invocations of a workgroup must reach it`,
  'subgroup-not-uniform': (name: string) => `'${name}' must be in uniform control flow: all invocations must reach it`,
  'subgroup-argument-not-uniform': (what: string, name: string) =>
    `the ${what} of '${name}' must be the same for all invocations`,
  'derivative-not-uniform': (name: string) =>
    `'${name}' needs derivatives, so it must be in uniform control flow: all pixels of a quad must reach it`,
  'aliased-pointers': (name: string) =>
    `'${name}' writes through one of two pointers to the same variable, and uses the other`,
  'aliased-variable': (name: string, variable: string) =>
    `'${name}' also accesses '${variable}' directly, and one of the accesses writes`,
  'load-not-uniform': () =>
    "the pointer passed to 'workgroupUniformLoad' must be the same for all invocations of a workgroup",
  'must-use-without-result': (name: string) => `@must_use needs a result, and '${name}' returns no value`,
  'early-test-without-fragment': (name: string) =>
    `@early_depth_test is only for fragment entry points, and '${name}' is not one`,
  'early-test-with-depth': (name: string) =>
    `'${name}' cannot return a @builtin(frag_depth): with @early_depth_test, depth is tested before the shader runs`,
  'call-of-entry-point': (name: string) => `'${name}' is an entry point and cannot be called`,
  'unknown-entry-point': (name: string) => `there is no entry point '${name}'`,
  'stage-not-allowed': (name: string, stages: string, stage: string) =>
    `'${name}' is for ${stages} shaders, and cannot be used in a ${stage} shader`,
  'vertex-without-position': (name: string) => `vertex entry point '${name}' must return a @builtin(position)`,
  'geometry-with-result': (name: string) => `geometry entry point '${name}' cannot return a value`,
  'geometry-without-emit': (name: string) => `geometry entry point '${name}' emits no vertex`,
  'primitive-without-result': (name: string) =>
    `primitive entry point '${name}' must return @builtin(cull_primitive), @builtin(viewport_index), `
    + '@builtin(shading_rate), or several of them',
  'location-in-primitive': (name: string) =>
    `'${name}' cannot have a @location: a primitive stage passes vertices on unchanged`,
  'without-corners': (stage: string, name: string) =>
    `${stage} entry point '${name}' needs a parameter for the corners of a primitive`,
  'corners-twice': (stage: string, name: string) =>
    `${stage} entry point '${name}' can have only one parameter for the corners of a primitive`,
  'patch-without-points': (stage: string, name: string) =>
    `${stage} entry point '${name}' needs a parameter for the control points of a patch`,
  'control-without-level': (name: string, builtin: string) =>
    `tess_control entry point '${name}' must return a @builtin(${builtin})`,
  'corners-type': (name: string, type: string) =>
    `'${name}': the corners of a primitive are an array of structs, found ${type}`,
  'corners-count': (name: string, count: number) =>
    `'${name}' is an array of ${count}, and no primitive has that many corners`,
  'corner-builtin': (name: string, builtin: string) =>
    `'${name}' cannot be a @builtin(${builtin}): a corner has the @location values that the previous stage writes`,
  'location-outside-corners': (name: string) =>
    `'${name}' has a @location: values of the previous stage come in an array with one element for each corner`,
  'emitted-types': (entry: string, one: string, other: string) =>
    `'${entry}' can emit vertices of one type only, and emits ${one} and ${other}`,
  'dispatch-with-result': (name: string) =>
    `'${name}' outputs its results with 'dispatchSamples', so it cannot return a value`,
  'dispatched-types': (entry: string, one: string, other: string) =>
    `'${entry}' can dispatch results of one type only, and dispatches ${one} and ${other}`,
  'dispatched-member': (name: string) => `'${name}' cannot be dispatched`,
  'io-without-attribute': (name: string) =>
    `'${name}' needs a @location or a @builtin, because it belongs to an entry point's interface`,
  'io-with-both': (name: string) => `'${name}' cannot have both a @location and a @builtin`,
  'io-with-another': (name: string, attribute: string, others: string) =>
    `'${name}' has a @${attribute}: it cannot also have ${others}`,
  'color-not-available': (use: string) => `@color is an input of a fragment entry point, not a ${use}`,
  'link-not-available': (use: string) => `@link is for inputs and results of fragment entry points, not for a ${use}`,
  'linked-type': (name: string, attribute: string, type: string) =>
    `'${name}' cannot have a @${attribute}: it must be a number or a vector of numbers, found ${type}`,
  'interpolate-without-location': (name: string) =>
    `@interpolate is only for values with a @location, and '${name}' has none`,
  'interpolate-on-color': (name: string) =>
    `@interpolate is only for values with a @location, and '${name}' is the value of a render target`,
  'interpolate-on-link': (name: string) =>
    `@interpolate is only for values with a @location, and '${name}' is the output of another stage`,
  'io-attribute-on-struct': (attribute: string) => `'@${attribute}' belongs on the members of the struct`,
  'invariant-without-position': (name: string) => `@invariant is only for @builtin(position), and '${name}' is not one`,
  'builtin-not-available': (builtin: string, use: string) => `@builtin(${builtin}) is not available as ${use}`,
  'builtin-type': (builtin: string, wanted: string, found: string) =>
    `@builtin(${builtin}) must be ${wanted}, found ${found}`,
  'interpolate-on-builtin': (name: string) =>
    `@interpolate is only for values with a @location, and '${name}' is a built-in`,
  'duplicate-io': (what: string) => `${what} is used twice`,
  'location-in-compute': (name: string) => `'${name}': a compute entry point has no @location values`,
  'location-type': (name: string, type: string) =>
    `'${name}' cannot have a @location: it must be a number or a vector of numbers, found ${type}`,
  'integer-not-flat': (name: string, type: string) => `'${name}' is ${type} and cannot be interpolated`,
} as const;
