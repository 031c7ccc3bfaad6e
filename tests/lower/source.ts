// Lowers WGSL text to IR, for tests.
import { expect } from 'vitest';
import { renderDiagnostics } from '../../src/base/diagnostics';
import { optimize, validate, type IrProgram } from '../../src/ir';
import { parseModule, resolveEntryPoint } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { hostMath } from '../ir/evaluate';

/** Lowers the entry point `main`. */
export function lower(source: string, entryPoint = 'main'): IrProgram {
  const { module, diagnostics } = parseModule(source);
  expect(renderDiagnostics(source, diagnostics)).toBe('');
  const features = new Set(['modular-pipelines', 'shading-rate']);
  const resolved = resolveEntryPoint(module, { entryPoint, math: hostMath, features });
  expect(
    renderDiagnostics(
      source,
      resolved.diagnostics.filter(({ severity }) => severity === 'error')
    )
  ).toBe('');
  const program = lowerEntryPoint(
    resolved.hir!,
    resolved.hir!.entryPoints.findIndex(({ name }) => name === entryPoint)
  );
  validate(program);
  return program;
}

/** The program as lowered and the optimized one. */
export function both(source: string): readonly IrProgram[] {
  const lowered = lower(source);
  const fast = optimize(lowered, hostMath);
  validate(fast);
  return [lowered, fast];
}
