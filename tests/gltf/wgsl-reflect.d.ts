// The package's `main` is CommonJS in an ESM package; its module file has no separate types.
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}
