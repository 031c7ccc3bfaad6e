// Random compute shaders: WGSL together with what its invocations do from barrier to barrier. They have no data races:
// between barriers, a shared array is either read by all, or each invocation has its own elements.
import { INPUT_WORDS, Scope, type Counting, type Helper, type Placement, type Store, type Tally } from './scope';
import { statements, type Flow, type Statement } from './statements';
import { ticketsText } from './tickets';
import { allowed, chance, pick, type Choices, type Expr, type Invocation, type Type, type Value } from './values';

/** What invocations of a workgroup do between two synchronization points. */
interface Stretch {
  readonly text: string;
  run(at: Invocation): Generator<'barrier', Flow>;
}

export interface ComputeProgram {
  readonly wgsl: string;
  readonly size: readonly [number, number];
  readonly constants: Readonly<Record<string, number>>;
  readonly stores: readonly Store[];
  readonly tallies: readonly Tally[];
  /** Arrays that each invocation has from its start, by number, with their initial contents. */
  readonly privates: readonly { readonly number: number; readonly length: number; readonly zero: Value }[];
  run(at: Invocation): Generator<'barrier', Flow>;
  /** Sets the values by number that all have from the start. */
  begin(at: Invocation, groups: number): void;
}

const SIZES: readonly (readonly [number, number])[] = [
  [13, 5],
  [33, 2],
  [100, 1],
  [16, 8],
  [64, 1],
  [8, 8],
  [7, 2],
  [5, 1],
  [4, 1],
  [3, 1],
  [2, 1],
  [1, 1],
  [8, 4],
  [16, 16],
];

const COUNTING: readonly Counting[] = [
  { call: 'atomicAdd', of: (a, b) => a + b },
  { call: 'atomicSub', of: (a, b) => a - b },
  { call: 'atomicMax', of: (a, b) => Math.max(a, b) },
  { call: 'atomicMin', of: (a, b) => Math.min(a, b) },
  { call: 'atomicAnd', of: (a, b) => a & b },
  { call: 'atomicOr', of: (a, b) => a | b },
  { call: 'atomicXor', of: (a, b) => a ^ b },
];

/** Returns a shader; `choices` supplies all randomness. */
export const randomProgram = (choices: Choices): ComputeProgram => new Builder(choices).program();

class Builder {
  private readonly size: readonly [number, number];
  private readonly scope: Scope;
  private readonly declarations: string[] = [];
  private readonly privates: { number: number; length: number; zero: Value }[] = [];
  private readonly hasBarriers: boolean;

  constructor(private readonly choices: Choices) {
    this.size = pick(choices, SIZES);
    this.scope = new Scope(choices, this.size[0] * this.size[1]);
    this.hasBarriers = chance(choices, 80);
  }

  program(): ComputeProgram {
    const {
      choices,
      scope,
      size: [width, height],
    } = this;
    const given = (['index', 'x', 'y', 'id', 'total', 'w', 'wide'] as const).map((name) =>
      this.given(name, name === 'total' || name === 'w' || name === 'wide')
    );
    this.memory();
    for (let k = choices.below(3); k > 0; k--) scope.helpers.push(this.helper());
    if (chance(choices, 50)) this.privateArray();
    const body = this.stretches(1 + choices.below(4), 2);
    const end = statements(scope, choices.below(3), 1, { canReturn: () => RETURN });
    const isByOverride = chance(choices, 50);
    return {
      wgsl: this.text(isByOverride, `${body.text}\n${end.text}`),
      size: this.size,
      constants: isByOverride ? { width, height } : {},
      stores: scope.stores,
      tallies: scope.tallies,
      privates: this.privates,
      *run(at) {
        return (yield* body.run(at)) === 'return' ? 'return' : end.run(at);
      },
      begin(at, groups) {
        const values = [at.index, at.localX, at.localY, at.id, groups, at.group, width];
        given.forEach((number, k) => {
          at.values[number] = values[k]!;
        });
      },
    };
  }

  private given(name: string, isUniform: boolean): number {
    const number = this.scope.count++;
    this.scope.variables.push({ name, type: 'u32', number, isUniform, canChange: false, isKnown: false });
    return number;
  }

  private text(isByOverride: boolean, body: string): string {
    const {
      size: [width, height],
      declarations,
    } = this;
    const extents = isByOverride
      ? 'override width: u32 = 9;\noverride height = 3u;'
      : `const width = ${width}u;\nconst height = ${height}u;`;
    return `${extents}
@group(0) @binding(0) var<storage, read> input: array<u32, ${INPUT_WORDS}>;
@group(0) @binding(1) var<storage, read> vectors: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> own: array<u32>;
@group(0) @binding(3) var<storage, read_write> region: array<u32>;
@group(0) @binding(4) var<storage, read_write> sums: array<atomic<u32>, 7>;
@group(0) @binding(5) var<storage, read_write> extremes: array<atomic<i32>, 7>;
@group(0) @binding(6) var<storage, read_write> tickets: Tickets;
${ticketsText}
${declarations.join('\n')}
@compute @workgroup_size(width, height) fn main(
  @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) index: u32,
  @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
) {
let x = local.x;
let y = local.y;
let total = groups.x * groups.y;
let w = group.y * groups.x + group.x;
let wide = width;
let id = w * (width * height) + index;
${body}
}`;
  }

  // ── Shared memory ──

  private memory(): void {
    const { scope, choices } = this;
    const store = (type: Type, perInvocation: number, element: Store['element'], space: Store['space']): void => {
      scope.stores.push({
        number: scope.stores.length,
        type,
        space,
        perInvocation,
        element,
        mode: this.placement(perInvocation),
      });
    };
    store('u32', 1, (index) => `region[w * ${scope.size}u + ${index}]`, 'storage');
    this.tally('sums', 'u32', 'storage');
    this.tally('extremes', 'i32', 'storage');
    if (!this.hasBarriers) return;
    const array = (name: string, type: Type, perInvocation: number): void => {
      this.declarations.push(`var<workgroup> ${name}: array<${type}, width * height * ${perInvocation}u>;`);
      store(type, perInvocation, (index) => `${name}[${index}]`, 'workgroup');
    };
    if (chance(choices, 70)) array('wu', 'u32', 1 + choices.below(2));
    if (chance(choices, 50) && !choices.isExact) array('wf', 'f32', 1);
    // The largest workgroups have no room for all of it.
    if (chance(choices, 30) && scope.size < 256) array('wb', 'bool', 1);
    if (chance(choices, 50)) {
      this.declarations.push('struct Cell { a: u32, b: vec3f, c: array<i32, 2> }');
      this.declarations.push('var<workgroup> cells: array<Cell, width * height>;');
      store('u32', 1, (index) => `cells[${index}].a`, 'workgroup');
      if (!choices.isExact) store('f32', 1, (index) => `cells[${index}].b.y`, 'workgroup');
      store('i32', 1, (index) => `cells[${index}].c[1]`, 'workgroup');
    }
    if (chance(choices, 50)) {
      this.declarations.push('var<workgroup> wt: array<atomic<u32>, 7>;', 'var<workgroup> wi: array<atomic<i32>, 7>;');
      this.tally('wt', 'u32', 'workgroup');
      this.tally('wi', 'i32', 'workgroup');
    }
    this.declarations.push('var<workgroup> told: u32;');
  }

  private tally(name: string, type: 'u32' | 'i32', space: Tally['space']): void {
    this.scope.tallies.push({
      name,
      number: TALLIES + this.scope.tallies.length,
      type,
      space,
      operations: COUNTING,
      mode: 'update',
    });
  }

  /** Which elements are an invocation's own: consecutive, interleaved, rotated, or in reverse. */
  private placement(perInvocation: number): Placement {
    const {
      choices,
      scope: { size },
    } = this;
    const c = choices.below(size);
    const spread = (of: (index: number) => number, text: string): Placement => ({
      text: (k) => `${text}${k > 0 ? ` + ${k * size}u` : ''}`,
      of: (at, k) => of(at.index) + k * size,
    });
    return pick(choices, [
      spread((index) => index, 'index'),
      spread((index) => (index + c) % size, `(index + ${c}u) % ${size}u`),
      spread((index) => size - 1 - index, `${size - 1}u - index`),
      { text: (k) => `index * ${perInvocation}u + ${k}u`, of: (at, k) => at.index * perInvocation + k },
    ]);
  }

  private privateArray(): void {
    const { scope, choices } = this;
    const number = scope.count++;
    const length = 1 + choices.below(5);
    const name = `p${number}`;
    const type = pick<Type>(choices, allowed<Type>(choices, ['u32', 'f32', 'i32']));
    this.declarations.push(`var<private> ${name}: array<${type}, ${length}>;`);
    scope.arrays.push({ name, type, number, length });
    this.privates.push({ number, length, zero: 0 });
  }

  /** A function of its arguments only, with several return statements. */
  private helper(): Helper {
    const { choices, scope: outer } = this;
    const name = `helper${outer.helpers.length}`;
    const takes = allowed<Type>(choices, ['u32', ...(chance(choices, 50) ? (['f32'] as const) : [])]);
    const gives = pick<Type>(choices, allowed<Type>(choices, ['u32', 'i32', 'f32', 'bool']));
    const scope = new Scope(choices, outer.size, true);
    scope.count = outer.count;
    const params = takes.map((type) => scope.variable(type, false, false));
    const result = outer.count + 900;
    const give = (at: Scope): Statement => {
      const value = at.expr(gives, 2);
      return {
        text: `return ${value.text};`,
        run: (invocation) => {
          invocation.values[result] = value.of(invocation);
          return 'return';
        },
      };
    };
    const body = statements(scope, 1 + choices.below(3), 2, { isPure: true, canReturn: give });
    const end = give(scope);
    outer.count = scope.count;
    this.declarations.push(
      `
        fn ${name}(${params.map((param) => `${param.name}: ${param.type}`).join(', ')}) -> ${gives} {
        ${body.text}\n${end.text}\n}
      `
    );
    return {
      name,
      takes,
      gives,
      call: (at, args) => {
        params.forEach(({ number }, k) => {
          at.values[number] = args[k]!;
        });
        if (body.run(at) === 'on') end.run(at);
        return at.values[result]!;
      },
    };
  }

  // ── From barrier to barrier ──

  private stretches(count: number, depth: number): Stretch {
    return inTurn(Array.from({ length: count }, () => this.stretch(depth)));
  }

  private stretch(depth: number): Stretch {
    const { choices, scope } = this;
    if (!this.hasBarriers) return calm(statements(scope, 1 + choices.below(4), 2, { canReturn: () => RETURN }));
    const ways = [() => calm(statements(scope, 1 + choices.below(3), 2, {})), () => this.barrier()];
    if (depth > 0)
      ways.push(
        () => this.branch(depth - 1),
        () => this.rounds(depth - 1),
        () => this.told()
      );
    return pick(choices, ways)();
  }

  /** A barrier, after which shared memory is divided in another way. */
  private barrier(): Stretch {
    const spaces = pick<readonly Store['space'][]>(this.choices, [
      ['workgroup'],
      ['workgroup'],
      ['storage'],
      ['workgroup', 'storage'],
    ]);
    return this.waiting(spaces.map((space) => `${space}Barrier();`).join(' '), spaces);
  }

  /** A synchronization point, after which memory of these kinds is divided in another way. */
  private waiting(text: string, spaces: readonly Store['space'][]): Stretch {
    const {
      choices,
      scope: { stores, tallies },
    } = this;
    for (const store of stores.filter(({ space }) => spaces.includes(space)))
      store.mode = chance(choices, 50) ? null : this.placement(store.perInvocation);
    // The counts of other workgroups are unknown to all.
    for (const tally of tallies.filter(({ space }) => space === 'workgroup' && spaces.includes(space)))
      tally.mode = chance(choices, 60) ? 'update' : 'read';
    return {
      text,
      *run() {
        yield 'barrier';
        return 'on';
      },
    };
  }

  /** Both sides of a uniform branch, which join afterwards. */
  private branch(depth: number): Stretch {
    const { choices, scope } = this;
    const condition = scope.expr('bool', 2, true);
    const modes = this.modes();
    const then = scope.inside(() => this.stretches(1 + choices.below(3), depth));
    const leaves = chance(choices, 10);
    this.restore(modes);
    const otherwise = chance(choices, 50) ? scope.inside(() => this.stretches(1 + choices.below(2), depth)) : null;
    const meet = this.both();
    return {
      text:
        `if (${condition.text}) {\n${then.text}${leaves ? '\nreturn;' : ''}\n}`
        + `${otherwise === null ? '' : ` else {\n${otherwise.text}\n}`}\n${meet.text}`,
      *run(at) {
        if (condition.of(at)) {
          const flow = yield* then.run(at);
          if (leaves || flow === 'return') return 'return';
        } else if (otherwise !== null && (yield* otherwise.run(at)) === 'return') return 'return';
        return yield* meet.run(at);
      },
    };
  }

  /** Iterations of a uniform loop, each from barrier to barrier. */
  private rounds(depth: number): Stretch {
    const { choices, scope } = this;
    const rounds = scope.expr('u32', 2, true);
    return scope.inside((): Stretch => {
      const { name, number } = scope.variable('u32', true, false);
      const first = this.both();
      const body = scope.inside(() => this.stretches(1 + choices.below(3), depth));
      const leave: Expr | null = chance(choices, 30) ? scope.expr('bool', 2, true) : null;
      const behind = this.both();
      return {
        text:
          `for (var ${name} = 0u; ${name} < ${rounds.text} % 4u; ${name}++) {\n${first.text}\n${body.text}\n`
          + `${leave === null ? '' : `if (${leave.text}) { break; }\n`}}\n${behind.text}`,
        *run(at) {
          const most = Number(rounds.of(at)) % 4;
          for (let round = 0; ; round++) {
            at.values[number] = round;
            if (round >= most) break;
            yield* first.run(at);
            if ((yield* body.run(at)) === 'return') return 'return';
            if (leave?.of(at)) break;
          }
          return yield* behind.run(at);
        },
      };
    });
  }

  /** One invocation broadcasts a value to all others. */
  private told(): Stretch {
    const { choices, scope } = this;
    const who = choices.below(scope.size);
    const value = scope.expr('u32', 3);
    const waits = this.waiting('', ['workgroup']);
    const { name, number } = scope.variable('u32', true, false);
    return {
      text: `if (index == ${who}u) { told = ${value.text}; }\nlet ${name} = workgroupUniformLoad(&told);`,
      *run(at) {
        if (at.index === who) at.memory.stores[TOLD]![0] = value.of(at);
        yield* waits.run(at);
        at.values[number] = at.memory.stores[TOLD]![0]!;
        yield* waits.run(at);
        return 'on';
      },
    };
  }

  private both(): Stretch {
    return this.waiting('workgroupBarrier(); storageBarrier();', ['workgroup', 'storage']);
  }

  private modes(): readonly (Placement | null | Tally['mode'])[] {
    return [...this.scope.stores, ...this.scope.tallies].map(({ mode }) => mode);
  }

  private restore(modes: readonly (Placement | null | Tally['mode'])[]): void {
    [...this.scope.stores, ...this.scope.tallies].forEach((one, k) => {
      one.mode = modes[k] as never;
    });
  }
}

const RETURN: Statement = { text: 'return;', run: () => 'return' };
/** The numbers of tallies begin after those of stores; the last one is the broadcast value. */
const TALLIES = 50;
export const TOLD = 99;

const calm = ({ text, run }: Statement): Stretch => ({
  text,
  *run(at) {
    return run(at);
  },
});

const inTurn = (all: readonly Stretch[]): Stretch => ({
  text: all.map(({ text }) => text).join('\n'),
  *run(at) {
    for (const one of all) if ((yield* one.run(at)) === 'return') return 'return';
    return 'on';
  },
});
