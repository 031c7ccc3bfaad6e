// Directives and declarations of a module (WGSL §4, §5, §11); the entry point of the parser.

import { TOKEN_END, TOKEN_WORD } from '../../../assembly/layout/text-codes';
import { tokenize } from '../lexer';
import type { Reporter } from '../messages';
import type {
  AliasDeclaration,
  Attribute,
  Directive,
  FunctionDeclaration,
  GlobalDeclaration,
  MemberDeclaration,
  Name,
  Parameter,
  ModuleSyntax,
  Span,
  StructDeclaration,
} from '../syntax';
import { ParseFailure } from './cursor';
import { StatementParser } from './statements';

class ModuleParser extends StatementParser {
  private readonly directives: Directive[] = [];
  private readonly declarations: GlobalDeclaration[] = [];
  private namelessBreak = false;
  /** The first ';' without a declaration. */
  private emptyDeclaration: Span | null = null;

  run(): ModuleSyntax {
    while (this.kind !== TOKEN_END) {
      const begin = this.position;
      this.pendingName = null;
      try {
        this.global();
      } catch (failure) {
        if (!(failure instanceof ParseFailure)) throw failure;
        if (this.pendingName === null) this.namelessBreak = true;
        this.depth = 0;
        this.braces = 0;
        this.itemCount = 0;
        this.abandonDeclaration();
        this.recoverDeclaration(begin);
      }
    }
    const { directives, declarations, brokenNames, namelessBreak } = this;
    return { directives, declarations, brokenNames, namelessBreak };
  }

  private global(): void {
    if (this.is(';')) {
      this.emptyDeclaration ??= this.tokenSpan;
      return this.advance();
    }
    if (this.is('enable') || this.is('requires') || this.is('diagnostic')) return this.directive();
    const attributes = this.attributes();
    const declaration = this.declaration(attributes);
    if (declaration !== null) this.declarations.push(declaration);
  }

  private directive(): void {
    const start = this.start;
    const kind = this.text as Directive['kind'];
    const span = this.tokenSpan;
    this.advance();
    const names = kind === 'diagnostic' ? this.diagnosticControl() : this.nameList(`an extension name after '${kind}'`);
    this.expectSemicolon('the directive');
    const { emptyDeclaration: empty } = this;
    if (this.declarations.length > 0 || empty !== null) {
      const notes = empty === null ? [] : [{ message: "a ';' by itself is a declaration", span: empty }];
      this.report.error('directive-after-declaration', span, notes, kind);
    }
    this.directives.push({ kind, names, span: this.from(start) });
  }

  private diagnosticControl(): Name[] {
    this.expect('(');
    const names = [this.word('a severity')];
    this.expect(',');
    names.push(this.word('a rule name'));
    while (this.take('.')) names.push(this.word('a rule name'));
    this.take(',');
    this.expect(')');
    return names;
  }

  private nameList(what: string): Name[] {
    const names = [this.word(what)];
    while (this.take(',')) {
      if (this.is(';')) break;
      names.push(this.word(what));
    }
    return names;
  }

  private word(what: string): Name {
    if (this.kind !== TOKEN_WORD) this.failUnexpected(what);
    const name: Name = { text: this.text, span: this.tokenSpan };
    this.advance();
    return name;
  }

  private declaration(attributes: readonly Attribute[]): GlobalDeclaration | null {
    switch (this.text) {
      case 'fn':
        return this.functionDeclaration(attributes);
      case 'var':
      case 'const':
      case 'override': {
        const variable = this.variable(attributes);
        this.expectSemicolon('the declaration');
        return variable;
      }
      case 'let':
        this.letAtModuleScope(attributes);
        return null;
      default:
        this.refuseAttributes(attributes, this.is('struct') ? 'a struct' : 'this declaration');
        return this.unattributed();
    }
  }

  /**
   * Parses `let` at module scope, the most common mistake of authors who know other languages. The declaration is
   * reported once, and uses of its name are not reported.
   */
  private letAtModuleScope(attributes: readonly Attribute[]): void {
    this.report.error(
      'wrong-keyword-at-module-scope',
      this.tokenSpan,
      [],
      'let',
      "use 'const', 'override' or 'var<private>'"
    );
    const variable = this.variable(attributes);
    this.brokenNames.add(variable.name.text);
    this.expectSemicolon('the declaration');
  }

  private unattributed(): GlobalDeclaration {
    switch (this.text) {
      case 'struct':
        return this.structDeclaration();
      case 'alias':
        return this.aliasDeclaration();
      case 'const_assert': {
        const assertion = this.constAssert();
        this.expectSemicolon("'const_assert'");
        return assertion;
      }
      default:
        return this.failUnexpected(
          "a declaration ('fn', 'struct', 'var', 'const', 'override', 'alias' or 'const_assert')"
        );
    }
  }

  private refuseAttributes(attributes: readonly Attribute[], where: string): void {
    const first = attributes[0];
    if (first !== undefined && (this.is('struct') || this.is('alias') || this.is('const_assert'))) {
      this.report.error('attribute-not-allowed', first.span, [], first.name.text, where);
    }
  }

  private aliasDeclaration(): AliasDeclaration {
    const start = this.start;
    this.advance();
    const name = this.declaredName("a name after 'alias'");
    this.expect('=');
    const type = this.typeExpression();
    this.expectSemicolon('the declaration');
    return { kind: 'alias', name, type, span: this.from(start) };
  }

  private structDeclaration(): StructDeclaration {
    const start = this.start;
    this.advance();
    const name = this.declaredName("a name after 'struct'");
    const structName = this.pendingName;
    this.expect('{');
    const members: MemberDeclaration[] = [];
    while (!this.is('}') && this.kind !== TOKEN_END) {
      const memberStart = this.start;
      const attributes = this.attributes();
      const member = this.declaredName('a member name');
      this.pendingName = structName;
      this.expect(':');
      const type = this.typeExpression();
      members.push({ attributes, name: member, type, span: this.from(memberStart) });
      if (!this.take(',')) break;
    }
    if (!this.take('}')) this.failUnexpected("',' or '}'");
    const span = this.from(start);
    if (members.length === 0) this.report.error('empty-struct', name.span, [], name.text);
    return { kind: 'struct', name, members, span };
  }

  private functionDeclaration(attributes: readonly Attribute[]): FunctionDeclaration {
    const start = attributes[0]?.span.start ?? this.start;
    this.advance();
    const name = this.declaredName("a name after 'fn'");
    const parameters = this.parameterList(name.text);
    let returnAttributes: readonly Attribute[] = [];
    let returnType = null;
    if (this.take('->')) {
      returnAttributes = this.attributes();
      returnType = this.typeExpression();
    }
    const body = this.block(this.attributes());
    return {
      kind: 'function',
      attributes,
      name,
      parameters,
      returnAttributes,
      returnType,
      body,
      span: this.from(start),
    };
  }

  private parameterList(functionName: string): Parameter[] {
    this.expect('(');
    const parameters: Parameter[] = [];
    while (!this.is(')')) {
      const start = this.start;
      const attributes = this.attributes();
      const name = this.declaredName('a parameter name');
      this.pendingName = functionName;
      this.expect(':');
      const type = this.typeExpression();
      parameters.push({ attributes, name, type, span: this.from(start) });
      if (!this.take(',')) break;
    }
    if (!this.take(')')) this.failUnexpected("',' or ')'");
    return parameters;
  }
}

/** Parses a module. Adds all syntax errors to `report` and returns the parts that parsed. */
export function parse(source: string, report: Reporter): ModuleSyntax {
  return new ModuleParser(tokenize(source, report), report).run();
}
