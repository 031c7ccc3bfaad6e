// Encodes compute shaders, and caches the result by their IR.
import { unreachable } from '../../base/assert';
import { LruSet } from '../../base/lru-set';
import type { Steps } from '../../base/steps';
import { assertValid, countAccesses, cutAtBarriers, type IrProgram } from '../../ir';
import { formatInfo } from '../../surface';
import { EncodedStage } from '../shaders/linker';

const texelBytes = (format: string): number => (formatInfo(format) ?? unreachable(`render: no format ${format}`)).bytes;

/** Maximum bytes of bytecode of stages that are kept after their last pipeline is gone. */
const MAX_BYTES = 1 << 20;

type Known = WeakMap<IrProgram, WeakRef<EncodedStage>>;

export class ComputeLinker {
  private readonly known: Known = new WeakMap();
  private readonly counting: Known = new WeakMap();
  private readonly recent = new LruSet<EncodedStage>(MAX_BYTES);

  /** `counts`: whether the shader counts its operations. Throws ProgramTooLargeError. */
  *linkSteps(program: IrProgram, counts: boolean): Steps<EncodedStage> {
    const known = counts ? this.counting : this.known;
    let stage = known.get(program)?.deref();
    if (!stage) {
      const cut = cutAtBarriers(counts ? countAccesses(program, texelBytes) : program);
      yield;
      assertValid(cut);
      stage = new EncodedStage(cut, null, null);
      yield;
      void stage.encoded;
      known.set(program, new WeakRef(stage));
    }
    const { code, prologue } = stage.encoded;
    this.recent.use(stage, code.byteLength + prologue.byteLength);
    return stage;
  }
}
