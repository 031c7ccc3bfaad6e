// Lint rules without type information, so that linting takes seconds. `tsc` checks the types.
import tseslint from 'typescript-eslint';

// JavaScript engines differ in the last bits of these functions, and a picture must not depend on them.
const INEXACT = [
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'atan2',
  'sinh',
  'cosh',
  'tanh',
  'asinh',
  'acosh',
  'atanh',
  'pow',
  'exp',
  'expm1',
  'log',
  'log2',
  'log10',
  'log1p',
  'cbrt',
  'hypot',
  'random',
];
const exactMath = {
  'no-restricted-properties': [
    'error',
    ...INEXACT.map((property) => ({
      object: 'Math',
      property,
      message: "Its last bits differ between engines; use the kernel's function, or +, −, ×, ÷ and sqrt.",
    })),
  ],
};
// Powers of two are exact everywhere.
const NO_POWER = {
  selector: 'BinaryExpression[operator="**"]:not([left.value=2]), AssignmentExpression[operator="**="]',
  message: '** is Math.pow, whose last bits differ between engines.',
};

export default tseslint.config(
  { ignores: ['build/', 'node_modules/', 'docs/.vitepress/.temp/'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      eqeqeq: 'error',
      'max-len': ['error', { code: 120 }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 6],
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-implicit-globals': 'error',
      'no-throw-literal': 'error',
      'no-var': 'error',
      'one-var': ['error', 'never'],
      'prefer-const': ['error', { destructuring: 'all' }],
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      // A WebGPU declaration merges with members that are declared elsewhere.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/triple-slash-reference': 'off', // where needed, @webgpu/types is referenced this way
    },
  },
  {
    files: ['src/**/*.ts', 'tests/images/scenes/*.ts'],
    rules: { ...exactMath, 'no-restricted-syntax': ['error', NO_POWER] },
  },
  {
    // AssemblyScript has the grammar of TypeScript with other semantics: `==` is ===, `<u32>x` converts, and decorators
    // inline small helpers.
    files: ['assembly/**/*.ts'],
    ignores: ['assembly/entry/**'],
    languageOptions: { parserOptions: { allowInvalidAST: true } },
    rules: {
      eqeqeq: 'off',
      '@typescript-eslint/consistent-type-imports': 'off',
      // `// @ts-ignore: decorator` is how asc's own documentation keeps editors quiet about top-level decorators.
      '@typescript-eslint/ban-ts-comment': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'Program > VariableDeclaration[kind!="const"], Program > ExportNamedDeclaration > '
            + 'VariableDeclaration[kind!="const"]',
          message: 'Kernels have no mutable globals: all state hangs from an address passed in.',
        },
        {
          selector: 'NewExpression, ArrayExpression:not(CallExpression > ArrayExpression), TemplateLiteral',
          message: 'Kernels allocate nothing: functions over addresses, numbers and v128.',
        },
      ],
      // All operations of a dispatch table have the same parameters.
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }],
    },
  },
  {
    files: ['assembly/**/*.ts'],
    ignores: ['assembly/simd/**', 'assembly/entry/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['i8x16', 'i16x8', 'i32x4', 'f32x4', 'v128'].flatMap((object) =>
          ['shuffle', 'swizzle'].map((property) => ({
            object,
            property,
            message: 'Shuffles live in assembly/simd, under a name.',
          }))
        ),
      ],
    },
  },
  // Tables.
  { files: ['assembly/warp/operations.ts', 'tests/api/validation.cases.ts'], rules: { 'max-lines': 'off' } },
  // The build script is hashed with the kernels, so a change of its layout compiles them again.
  { files: ['kernels.mjs'], rules: { 'max-len': ['error', { code: 120, ignoreTemplateLiterals: true }] } },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        performance: 'readonly',
        URL: 'readonly',
        WebAssembly: 'readonly',
        GPUBufferUsage: 'readonly',
        GPUTextureUsage: 'readonly',
        navigator: 'readonly',
        requestAnimationFrame: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
    rules: { 'no-undef': 'error' },
  },
  {
    // They run after install().
    files: ['tests/libraries/**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'document',
          'GPUAdapter',
          'GPUMapMode',
          'GPUQueue',
          'HTMLCanvasElement',
          'OffscreenCanvas',
          'Q5',
          'setTimeout',
          'TextEncoder',
        ].map((name) => [name, 'readonly'])
      ),
    },
  }
);
