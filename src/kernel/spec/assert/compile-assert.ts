/**
 * Compiles `assert` into a tree of predicates, or returns all its errors. The shape was checked
 * before; this compiles the expressions.
 */
import { compileExpression } from '../lang/compile.ts'
import type { Scope } from '../lang/scope.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { type AssertNode, type AssertRoot, groupKinds } from './assert-tree.ts'
import { expressionFor, isSugarProblem, operandsOf, subjectFor } from './sugar.ts'

interface CompiledAssert {
  readonly root: AssertRoot
  readonly errors: readonly SpecError[]
}

/** `path` is the path of the assertions in the case. */
export function compileAssert(
  value: SpecValue | undefined,
  scope: Scope,
  path = 'assert',
): CompiledAssert {
  const errors: SpecError[] = []
  const compiler = new AssertCompiler(scope, errors)
  const children = isList(value) ? compiler.list(value, path, '') : []
  const subjects = new Set<string>()
  for (const child of children) addSubjects(child, subjects)
  // Not copied from a group: V8 is slow at objects that start with a spread.
  return { root: { kind: 'must', path, children, subjects }, errors }
}

function addSubjects(node: AssertNode, found: Set<string>): void {
  if (node.kind === 'leaf') found.add(node.subject)
  else for (const child of node.children) addSubjects(child, found)
}

class AssertCompiler {
  readonly #scope: Scope
  readonly #errors: SpecError[]

  constructor(scope: Scope, errors: SpecError[]) {
    this.#scope = scope
    this.#errors = errors
  }

  list(values: readonly SpecValue[], path: string, target: string): readonly AssertNode[] {
    return values.flatMap((value, at) => this.#node(value, `${path}[${at}]`, target))
  }

  #node(value: SpecValue, path: string, inherited: string): readonly AssertNode[] {
    if (isList(value)) return [{ kind: 'must', path, children: this.list(value, path, inherited) }]
    if (!isMapping(value)) return []
    const kind = groupKinds.find(one => value.has(one))
    const children = kind === undefined ? undefined : value.get(kind)
    if (kind === undefined || !isList(children)) return this.#leaves(value, path, inherited)
    const given = value.get('target')
    const target = (typeof given === 'string' && given.trim()) || inherited
    return [{ kind, path, children: this.list(children, `${path}.${kind}`, target) }]
  }

  /** All predicates of one leaf must hold. */
  #leaves(
    value: ReadonlyMap<string, SpecValue>,
    path: string,
    target: string,
  ): readonly AssertNode[] {
    const leaves = [...value].flatMap(([op, args]) =>
      (operandsOf(op, args) ?? []).flatMap((source, at) => {
        const place = isList(args) ? `${path}.${op}[${at}]` : `${path}.${op}`
        return this.#leaf({ op, source, at, path, place, target })
      }),
    )
    return leaves.length <= 1 ? leaves : [{ kind: 'must', path, children: leaves, isLeaf: true }]
  }

  #leaf({ op, source, at, path, place, target }: Written): readonly AssertNode[] {
    const subject = subjectFor(op, target)
    const expression = expressionFor(op, source, subject)
    if (isSugarProblem(expression)) {
      const message = `${place}: ${expression.problem}`
      this.#errors.push({ category: 'schema', message, path: place })
      return []
    }
    const compiled = compileExpression(expression, { path: place, scope: this.#scope })
    if ('length' in compiled) {
      this.#errors.push(...compiled)
      return []
    }
    const scope = this.#scope
    const predicate = compiled
    return [{ kind: 'leaf', path, target, subject, op, source, at, place, scope, predicate }]
  }
}

interface Written {
  readonly op: string
  readonly source: SpecValue
  readonly at: number
  readonly path: string
  readonly place: string
  readonly target: string
}
