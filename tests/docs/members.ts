// The members and values of the package's types, by TypeScript's checker.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { ROOT } from './kit';

const path = (name: string): string => fileURLToPath(new URL(name, ROOT));
/** Files whose exported types tables describe. */
const FILES = [
  'src/index.ts',
  'src/farm.ts',
  'src/blends/index.ts',
  'src/rate-image/index.ts',
  'src/virtual-time/index.ts',
  'src/test-kit/testing.ts',
  'src/test-kit/vitest.ts',
  'src/cli/render/report.ts',
  'src/api/options.ts',
].map(path);

interface Types {
  readonly checker: ts.TypeChecker;
  readonly exported: ReadonlyMap<string, ts.Symbol>;
}
let loaded: Types | undefined;

function types(): Types {
  if (loaded) return loaded;
  const { config } = ts.readConfigFile(path('tsconfig.json'), (file) => ts.sys.readFile(file)) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path('.'));
  const program = ts.createProgram(FILES, options);
  const checker = program.getTypeChecker();
  const symbols = FILES.flatMap((file) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
  );
  loaded = { checker, exported: new Map(symbols.map((symbol) => [symbol.name, symbol])) };
  return loaded;
}

const parts = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

/** The type of an exported type's member; of arrays, their elements. */
function typeOf([name, ...members]: readonly string[]): ts.Type {
  const { checker, exported } = types();
  const symbol = exported.get(name!);
  if (!symbol) throw new Error(`no type ${name} is exported`);
  const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const withoutArrays = (type: ts.Type): ts.Type =>
    checker.isArrayType(type)
      ? checker.getNonNullableType(checker.getIndexTypeOfType(type, ts.IndexKind.Number)!)
      : type;
  return members.reduce<ts.Type>((type, member) => {
    const property = parts(type).flatMap((part) => part.getProperty(member) ?? [])[0];
    if (!property) throw new Error(`${name} has no member ${member}`);
    return withoutArrays(checker.getNonNullableType(checker.getTypeOfSymbol(property)));
  }, checker.getDeclaredTypeOfSymbol(declared));
}

/** The names of the members of a type, or of a member's type: `membersOf('CreateOptions', 'scheduler')`. */
export const membersOf = (...names: readonly string[]): readonly string[] => [
  ...new Set(parts(typeOf(names)).flatMap((type) => type.getProperties().map((property) => property.name))),
];

/** The strings and numbers that a type, or a member's type, consists of. */
export const valuesOf = (...names: readonly string[]): readonly string[] =>
  parts(typeOf(names)).flatMap((type) =>
    type.isStringLiteral() || type.isNumberLiteral() ? [String(type.value)] : []
  );

/** The parameters of a method of an exported type. */
export const parametersOf = (...names: readonly string[]): readonly string[] =>
  typeOf(names)
    .getCallSignatures()[0]!
    .parameters.map(({ name }) => name);
