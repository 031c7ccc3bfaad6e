// Messages about expressions and statements: names, types, operators, calls, constants, control flow.

const counted = (count: string, noun: string): string => `${count} ${noun}${count === '1' ? '' : 's'}`;

export const TYPE_MESSAGES = {
  'unknown-identifier': (name: string) => `unknown identifier '${name}'`,
  'unknown-type': (name: string) => `unknown type '${name}'`,
  'unknown-member': (struct: string, member: string) => `struct '${struct}' has no member '${member}'`,
  'unknown-word': (what: string, found: string, expected: string) => `expected ${what} (${expected}), found ${found}`,
  'hidden-word': (what: string, found: string) => `expected ${what}, found ${found}, which has the same name`,
  'not-a-value': (name: string, kind: string) => `'${name}' is a ${kind}, not a value`,
  'not-callable': (name: string) => `'${name}' is a value and cannot be called`,
  'no-value': (name: string) => `'${name}' returns no value`,
  'expected-type': (found: string) => `expected a type, found ${found}`,
  'missing-template': (name: string, example: string) => `'${name}' needs a template list, as in '${example}'`,
  'unexpected-template': (name: string) => `'${name}' takes no template list`,
  'template-count': (
    name: string, wanted: string, found: number
  ) => `'${name}' takes ${counted(wanted, 'template argument')}, found ${found}`,
  'template-type': (
    name: string, wanted: string, found: string
  ) => `'${name}' takes ${wanted} as its type, found ${found}`,
  'access-mode-not-allowed': (space: string) => `the address space '${space}' takes no access mode`,
  'array-element-type': (type: string) => `${type} cannot be an array's element`,
  'array-count-type': (type: string) => `an array's element count must be an i32 or u32, found ${type}`,
  'buffer-size': (found: string) =>
    `a buffer's size must be a constant i32 or u32, a multiple of 4 from 4 to 2147483644, found ${found}`,
  'view-type': (name: string, type: string, why: string) => `'${name}' cannot view a buffer as ${type}: ${why}`,
  'view-range': (name: string, what: string) => `'${name}': ${what}`,
  'subgroup-size': (found: string) => `@subgroup_size must be a power of two, an i32 or u32, found ${found}`,
  'array-count-not-constant': () => "an array's element count must be a const-expression",
  'array-count-range': (count: string) => `an array's element count must be between 1 and 2147483647, found ${count}`,
  'not-storable': (type: string) => `${type} cannot be stored in memory`,
  'not-supported': (what: string) => `${what} is not supported yet`,
  'type-mismatch': (wanted: string, found: string) => `expected ${wanted}, found ${found}`,
  'not-representable': (value: string, type: string) => `${value} cannot be represented as ${type}`,
  'unary-operand': (op: string, type: string) => `operator '${op}' cannot be applied to ${type}`,
  'binary-operands': (
    op: string, left: string, right: string
  ) => `operator '${op}' cannot be applied to ${left} and ${right}`,
  'no-overload': (name: string, given: string) => `no overload of '${name}' takes (${given})`,
  'no-constructor': (type: string, given: string) => `${type} cannot be constructed from (${given})`,
  'not-constructible': (type: string) => `${type} cannot be constructed`,
  'cannot-infer': (name: string, given: string) => `the element type of '${name}' cannot be inferred from (${given})`,
  'type-too-deep': (limit: number) => `types nest deeper than ${limit} levels`,
  'too-many-constants': (limit: number, option: string) =>
    `the constant expressions up to here exceed ${limit} scalars in total: ${option}`,
  'too-many-elements': (given: number, limit: number) =>
    `an array constructor takes at most ${limit} elements, found ${given}: assign the others one by one`,
  'value-too-large': (type: string, limit: number) => `a value of ${type} has more than ${limit} parts`,
  'argument-count': (
    name: string, wanted: string, found: number
  ) => `'${name}' takes ${counted(wanted, 'argument')}, found ${found}`,
  'bitcast-types': (from: string, to: string) => `bitcast from ${from} to ${to} is not possible`,
  'unused-result': (name: string) => `the result of '${name}' is not used`,
  'storage-texture-access': (name: string, type: string) => `'${name}' cannot be used with ${type}`,
  'no-members': (type: string, member: string) => `${type} has no member '${member}'`,
  'invalid-swizzle': (letters: string) => `'${letters}' is not a valid swizzle`,
  'swizzle-range': (letter: string, type: string) => `${type} has no component '${letter}'`,
  'not-indexable': (type: string) => `${type} cannot be indexed`,
  'index-type': (type: string) => `an index must be an i32 or u32, found ${type}`,
  'index-out-of-bounds': (
    index: number, range: string, type: string
  ) => `index ${index} is out of bounds: ${type} takes ${range}`,
  'dereference-of-value': (type: string) => `'*' needs a pointer, found ${type}`,
  'address-of-value': () => "'&' needs a variable in memory",
  'address-of-component': () => "'&' cannot be applied to a component of a vector",
  'not-loadable': (type: string, why: string) => `${type} cannot be read as a whole: ${why}`,
  'read-of-write-only': () => 'this memory is write-only',
  'not-constant': (what: string, wanted: string) => `${what} must be ${wanted}`,
  'must-be-constant': (what: string) => `${what} must be a const-expression`,
  'constant-range': (
    what: string, low: number, high: number, found: string
  ) => `${what} must be between ${low} and ${high}, found ${found}`,
  'call-not-constant': (name: string) => `a call of '${name}' is not a const-expression`,
  'division-by-zero': (shown: string) => `division by zero: ${shown}`,
  'integer-overflow': (shown: string) => `integer overflow: ${shown}`,
  'not-finite': (shown: string) => `the value of ${shown} is not finite`,
  'half-range': (shown: string) => `${shown} cannot be represented as f16`,
  'shift-too-far': (shown: string) => `shift by the width of the type or more: ${shown}`,
  'shift-overflow': (shown: string) => `shift loses significant bits: ${shown}`,
  'invalid-constant-arguments': (shown: string) => `invalid constant arguments: ${shown}`,
  'const-assert-failed': () => 'const_assert failed: the condition is false',
  'assign-to-value': (what: string) => `cannot assign to ${what}`,
  'assign-twice': (letters: string) => `cannot assign to '.${letters}', which has a component twice`,
  'assign-to-read-only': (space: string) =>
    `cannot assign to a variable in the address space '${space}': it is read-only`,
  'step-type': (op: string, type: string) => `'${op}' needs an i32 or u32, found ${type}`,
  'type-not-allowed': (type: string, where: string) => `${type} is not allowed as ${where}`,
  'var-without-type': (name: string) => `'var ${name}' needs a type or an initial value`,
  'space-in-function': (space: string) => `a variable in the address space '${space}' must be declared at module scope`,
  'return-without-value': (name: string, type: string) => `'${name}' must return a value of type ${type}`,
  'return-with-value': (name: string) => `'${name}' returns no value`,
  'missing-return': (name: string, type: string) =>
    `'${name}' must return ${type}, but its end can be reached without a return`,
  'jump-outside-loop': (word: string, where: string) => `'${word}' is not inside ${where}`,
  'jump-in-continuing': (word: string) => `'${word}' is not allowed in a continuing block`,
  'continue-skips-declaration': (name: string) => `'${name}' may not exist here: a 'continue' can skip its declaration`,
  'endless-loop': () => 'this loop never ends: it has no break and no return',
  'unreachable-code': () => 'this code is never reached',
  'switch-selector-type': (type: string) => `a switch selector must be an i32 or u32, found ${type}`,
  'switch-without-default': () => "a switch needs exactly one 'default'",
  'too-many-case-values': (limit: number) => `a switch can have at most ${limit} case values`,
  'duplicate-default': () => "a switch can have only one 'default'",
  'duplicate-case': (value: number) => `case value ${value} is used twice`,
} as const;
