// Programs that are used together: linked, cleaned, encoded. Pipelines that differ in state alone share them.
import { encodeBytecode, type EncodedProgram } from '../codegen';
import { dropMissingAlphas, optimize, validate, type ConstantMath, type IrProgram } from '../ir';
import { link, onlyProgram, renderPipelineTables, type Linked } from '../mpipe';

export interface LinkedPrograms {
  readonly linked: Linked;
  readonly encoded: { readonly vertex: EncodedProgram; readonly fragment: EncodedProgram | null };
}

/** Stands for no fragment program. */
const NONE = {};

export class Linker {
  /** By vertex and fragment program, as long as both are there. */
  private readonly known = new WeakMap<IrProgram, WeakMap<object, LinkedPrograms>>();

  constructor(private readonly math: ConstantMath) {}

  /** Throws ProgramTooLargeError. */
  link(vertex: IrProgram, fragment: IrProgram | null): LinkedPrograms {
    let partners = this.known.get(vertex);
    if (!partners) this.known.set(vertex, partners = new WeakMap());
    let found = partners.get(fragment ?? NONE);
    if (!found) partners.set(fragment ?? NONE, found = this.make(vertex, fragment));
    return found;
  }

  private make(vertex: IrProgram, fragment: IrProgram | null): LinkedPrograms {
    const tables = renderPipelineTables(vertex, fragment && dropMissingAlphas(fragment));
    const linked = link(onlyProgram(tables.geometry)!, onlyProgram(tables.pixel));
    // Where linking took away what the fragment program does not read, what computed it goes now. Both programs are
    // optimised already.
    const whole = linked.vertex.outputs.length === vertex.outputs.length;
    const cleaned = whole ? linked : { ...linked, vertex: optimize(linked.vertex, this.math) };
    validate(cleaned.vertex);
    if (cleaned.fragment) validate(cleaned.fragment);
    return {
      linked: cleaned,
      encoded: {
        vertex: encodeBytecode(cleaned.vertex), fragment: cleaned.fragment && encodeBytecode(cleaned.fragment),
      },
    };
  }
}
