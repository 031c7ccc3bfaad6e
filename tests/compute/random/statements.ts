// Statements of a random shader without barriers: each invocation executes them independently, convergent or divergent.
import { asWord, OWN_WORDS, wordOf, type Scope, type Store, type Tally, type Variable } from './scope';
import { claimText, linkText, PLACES, SITES, takeText } from './tickets';
import { allowed, chance, pick, type Expr, type Invocation, type Type, type Value } from './values';

/** How control continues after a statement. */
export type Flow = 'on' | 'break' | 'continue' | 'return';
export interface Statement {
  readonly text: string;
  run(at: Invocation): Flow;
}

const TYPES: readonly Type[] = ['u32', 'i32', 'f32', 'bool'];
/** Maximum iterations of nested loops. */
const MAX_ROUNDS = 5;

const sequence = (all: readonly Statement[]): Statement => ({
  text: all.map(({ text }) => text).join('\n'),
  run: (at) => {
    for (const one of all) {
      const flow = one.run(at);
      if (flow !== 'on') return flow;
    }
    return 'on';
  },
});

interface Around {
  readonly inLoop?: boolean;
  readonly inSwitch?: boolean;
  /** Whether returning from the function here skips no barrier. */
  readonly canReturn?: ((scope: Scope) => Statement) | undefined;
  /** Whether only invocation-private state may change. */
  readonly isPure?: boolean;
}

export function statements(scope: Scope, count: number, depth: number, around: Around): Statement {
  return sequence(Array.from({ length: count }, () => statement(scope, depth, around)));
}

function block(scope: Scope, depth: number, around: Around): Statement {
  return scope.inside(() => statements(scope, 1 + scope.choices.below(3), depth, around));
}

function statement(scope: Scope, depth: number, around: Around): Statement {
  const { choices } = scope;
  if (depth > 0 && chance(choices, 35)) {
    return pick(choices, [conditional, counted, endless, selected])(scope, depth - 1, around);
  }
  const ways = (['break', 'continue'] as const).filter((way) => around.inLoop || (around.inSwitch && way === 'break'));
  if (ways.length > 0 && chance(choices, 10)) return leave(scope, pick(choices, ways));
  if (around.canReturn && chance(choices, 10)) return guarded(scope, around.canReturn(scope));
  const makers = [declare, declare, assign, assign, change];
  if (!around.isPure) makers.push(keep, toStore, toStore, toTally, ticket);
  return pick(choices, makers)(scope);
}

// ── Variables ──

function set({ number }: Variable, value: Expr): (at: Invocation) => Flow {
  return (at) => {
    at.values[number] = value.of(at);
    return 'on';
  };
}

function declare(scope: Scope): Statement {
  const { choices } = scope;
  const type = pick(choices, allowed(choices, TYPES));
  if (chance(choices, 15)) return declareArray(scope);
  const value = scope.expr(type, 3);
  const isVar = chance(choices, 60);
  const made = scope.variable(type, false, isVar, !isVar && value.isKnown);
  return { text: `${isVar ? 'var' : 'let'} ${made.name}: ${type} = ${value.text};`, run: set(made, value) };
}

function declareArray(scope: Scope): Statement {
  const { choices } = scope;
  const type = pick(choices, allowed(choices, TYPES));
  const length = 1 + choices.below(6);
  const number = scope.count++;
  const name = `a${number}`;
  const zero = type === 'bool' ? false : 0;
  scope.arrays.push({ name, type, number, length });
  return {
    text: `var ${name}: array<${type}, ${length}>;`,
    run: (at) => {
      at.arrays[number] = Array<Value>(length).fill(zero);
      return 'on';
    },
  };
}

function assign(scope: Scope): Statement {
  const { choices } = scope;
  const found = scope.variables.filter(({ canChange, isUniform }) => canChange && !isUniform);
  if (scope.arrays.length > 0 && chance(choices, 40)) return toArray(scope);
  if (found.length === 0) return declare(scope);
  const variable = pick(choices, found);
  const value = scope.expr(variable.type, 3);
  return { text: `${variable.name} = ${value.text};`, run: set(variable, value) };
}

function toArray(scope: Scope): Statement {
  const { name, number, length, type } = pick(scope.choices, scope.arrays);
  const index = scope.expr('u32', 2);
  const value = scope.expr(type, 3);
  return {
    text: `${name}[${index.text} % ${length}u] = ${value.text};`,
    run: (at) => {
      const k = Number(index.of(at)) % length;
      at.arrays[number]![k] = value.of(at);
      return 'on';
    },
  };
}

/** Compound assignments. */
function change(scope: Scope): Statement {
  const { choices } = scope;
  const found = scope.variables.filter(({ canChange, isUniform, type }) => canChange && !isUniform && type !== 'bool');
  if (found.length === 0) return declare(scope);
  const variable = pick(choices, found);
  const { name, number, type } = variable;
  const value = scope.expr(type, 3);
  const add = (a: number, b: number): number =>
    type === 'u32' ? (a + b) >>> 0 : type === 'i32' ? (a + b) | 0 : Math.fround(a + b);
  return {
    text: `${name} += ${value.text};`,
    run: (at) => {
      const added = value.of(at) as number;
      at.values[number] = add(at.values[number] as number, added);
      return 'on';
    },
  };
}

// ── Memory ──

function keep(scope: Scope): Statement {
  const value = scope.expr(pick(scope.choices, allowed(scope.choices, TYPES)), 3);
  const k = scope.choices.below(OWN_WORDS);
  return {
    text: `own[id * ${OWN_WORDS}u + ${k}u] = ${asWord(value)};`,
    run: (at) => {
      at.memory.own[at.id * OWN_WORDS + k] = wordOf(value.type, value.of(at));
      return 'on';
    },
  };
}

function toStore(scope: Scope): Statement {
  const { choices } = scope;
  const found = scope.stores.filter(({ mode }) => mode !== null);
  if (found.length === 0) return keep(scope);
  const store: Store = pick(choices, found);
  const { number, type, mode, perInvocation } = store;
  const value = scope.expr(type, 3);
  const k = choices.below(perInvocation);
  return {
    text: `${store.element(mode!.text(k))} = ${value.text};`,
    run: (at) => {
      at.memory.stores[number]![mode!.of(at, k)] = value.of(at);
      return 'on';
    },
  };
}

function toTally(scope: Scope): Statement {
  const { choices } = scope;
  const found = scope.tallies.filter(({ mode }) => mode === 'update');
  if (found.length === 0) return keep(scope);
  const { name, number, operations, type }: Tally = pick(choices, found);
  const k = choices.below(operations.length);
  const value = scope.expr(type, 2);
  const { call, of } = operations[k]!;
  const result = choices.usesResults && chance(choices, 60) ? scope.variable(type, false, false) : null;
  return {
    text: `${result ? `let ${result.name} = ` : ''}${call}(&${name}[${k}], ${value.text});`,
    run: (at) => {
      const store = at.memory.stores[number]!;
      const given = value.of(at) as number;
      const before = store[k] as number;
      store[k] = type === 'u32' ? of(before, given) >>> 0 : of(before, given) | 0;
      if (result) at.values[result.number] = before;
      return 'on';
    },
  };
}

/** Atomic operations whose results are used. */
function ticket({ choices }: Scope): Statement {
  const site = choices.below(SITES);
  const text = `id * ${SITES}u + ${site}u`;
  const valueOf = (at: Invocation): number => at.id * SITES + site;
  const statementOf = (written: string, act: (at: Invocation) => void): Statement => ({
    text: written,
    run: (at) => {
      act(at);
      return 'on';
    },
  });
  const place = choices.below(PLACES);
  return pick(choices, [
    statementOf(takeText(text), (at) => at.memory.tickets.take(valueOf(at))),
    statementOf(linkText(`${text} + 1u`), (at) => at.memory.tickets.link(valueOf(at) + 1)),
    statementOf(claimText(place, `${text} + 1u`), (at) => at.memory.tickets.claim(place)),
  ]);
}

// ── Control flow ──

function conditional(scope: Scope, depth: number, around: Around): Statement {
  const condition = scope.expr('bool', 2);
  const then = block(scope, depth, around);
  const otherwise = chance(scope.choices, 50) ? block(scope, depth, around) : null;
  return {
    text: `if (${condition.text}) {\n${then.text}\n}${otherwise === null ? '' : ` else {\n${otherwise.text}\n}`}`,
    run: (at) => (condition.of(at) ? then.run(at) : (otherwise?.run(at) ?? 'on')),
  };
}

function guarded(scope: Scope, inner: Statement): Statement {
  const condition = scope.expr('bool', 2);
  return { text: `if (${condition.text}) { ${inner.text} }`, run: (at) => (condition.of(at) ? inner.run(at) : 'on') };
}

const leave = (scope: Scope, flow: 'break' | 'continue'): Statement =>
  guarded(scope, { text: `${flow};`, run: () => flow });

/** As many iterations as each invocation wants. */
function counted(scope: Scope, depth: number, around: Around): Statement {
  return scope.inside(() => {
    const rounds = scope.expr('u32', 2);
    const counter = scope.variable('u32', false, false);
    const { name, number } = counter;
    const body = block(scope, depth, { ...around, inLoop: true });
    return {
      text: `for (var ${name} = ${rounds.text} % ${MAX_ROUNDS}u; ${name} > 0u; ${name}--) {\n${body.text}\n}`,
      run: (at) => {
        let left = Number(rounds.of(at)) % MAX_ROUNDS;
        for (at.values[number] = left; left > 0; at.values[number] = --left) {
          const flow = body.run(at);
          if (flow === 'break') break;
          if (flow === 'return') return flow;
        }
        return 'on';
      },
    };
  });
}

/** Until a condition holds after an iteration, or a maximum is reached. */
function endless(scope: Scope, depth: number, around: Around): Statement {
  return scope.inside(() => {
    const { name, number } = scope.variable('u32', false, false);
    const body = block(scope, depth, { ...around, inLoop: true });
    const until = scope.expr('bool', 2);
    return {
      text:
        `var ${name} = 0u;\nloop {\n{\n${body.text}\n}\ncontinuing {\n${name}++;\n`
        + `break if ${name} >= ${MAX_ROUNDS}u || ${until.text};\n}\n}`,
      run: (at) => {
        for (let round = 0; ;) {
          at.values[number] = round;
          const flow = body.run(at);
          if (flow === 'break') return 'on';
          if (flow === 'return') return flow;
          at.values[number] = ++round;
          if (round >= MAX_ROUNDS || until.of(at)) return 'on';
        }
      },
    };
  });
}

function selected(scope: Scope, depth: number, around: Around): Statement {
  const selector = scope.expr('u32', 2);
  const inside = { ...around, inSwitch: true };
  const clauses = Array.from({ length: 1 + scope.choices.below(3) }, (_, k) => ({
    cases: [2 * k, 2 * k + 1],
    body: block(scope, depth, inside),
  }));
  const otherwise = block(scope, depth, inside);
  return {
    text: [
      `switch (${selector.text} % 8u) {`,
      ...clauses.map(({ cases, body }) => `case ${cases.map((number) => `${number}u`).join(', ')}: {\n${body.text}\n}`),
      `default: {\n${otherwise.text}\n}\n}`,
    ].join('\n'),
    run: (at) => {
      const value = Number(selector.of(at)) % 8;
      const flow = (clauses.find(({ cases }) => cases.includes(value))?.body ?? otherwise).run(at);
      return flow === 'break' ? 'on' : flow;
    },
  };
}
