/** Warnings about valid cases. Expressions are compiled, nothing runs. */
import { compileAssert } from '../../kernel/spec/assert/compile-assert.ts'
import { mappingIn, textsIn } from '../../kernel/spec/case/requires.ts'
import { contractPath } from '../../kernel/spec/contract-path.ts'
import { isError, type Problem, type RawCase } from '../../kernel/spec/document/raw-case.ts'
import { libraryImports } from '../../kernel/spec/lang/library-case.ts'
import { isErrors, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import { lintCase } from '../../kernel/spec/lint/case-lint.ts'
import { isExpectedFailure } from '../../kernel/spec/lint/expected-failure.ts'
import { lintLibrary } from '../../kernel/spec/lint/library-lint.ts'
import { usedNames } from '../../kernel/spec/lint/linted-case.ts'
import { buildExecutionContext } from '../../runner/execution-context.ts'
import type { LoadedDocument } from '../../runner/load-documents.ts'
import type { SpecRun } from '../../runner/spec-run.ts'
import type { OperationContext } from '../context.ts'
import { leavesOf, ownExpressions, problemOf } from './explanation.ts'
import { executable, openRun, ownOffer } from './outcomes.ts'
import type { SpecInput } from './spec-input.ts'

export async function lintWarnings(
  specs: SpecInput,
  context: OperationContext,
): Promise<readonly Problem[]> {
  const run = openRun(specs, { offer: ownOffer }, context)
  const needed = new Set(
    specs.documents.flatMap(({ cases }) =>
      cases.flatMap(raw => specs.graph.stepsOf(raw).flatMap(step => step.cases)),
    ),
  )
  const problems: Problem[] = []
  try {
    for (const raw of executable(specs.cases)) {
      // Shape errors were reported before.
      if (specs.problemsOf(raw).some(isError)) continue
      problems.push(...(await compiledProblems(raw, needed.has(raw), run)))
    }
  } finally {
    run.close()
  }
  return [...problems, ...libraryProblems(specs)]
}

async function compiledProblems(
  raw: RawCase,
  isNeeded: boolean,
  run: SpecRun,
): Promise<readonly Problem[]> {
  const context = await buildExecutionContext(raw, run)
  if (isErrors(context)) return problemsOf(context, raw)
  const { scope, budget, startTimer, regex } = context
  const { root, errors: wrong } = compileAssert(raw.value.get('assert'), scope)
  const own = ownExpressions(raw, scope)
  const errors = [...wrong, ...own.errors]
  if (errors.length > 0) return problemsOf(errors, raw)
  const evaluation = { budget, startTimer, regex }
  const leaves = [root, ...own.asserts].flatMap(leavesOf)
  const { conditions } = own
  return lintCase({ raw, root, leaves, conditions, scope, evaluation, isNeeded })
}

/** None if the case expects to fail like this. */
function problemsOf(errors: readonly SpecError[], raw: RawCase): readonly Problem[] {
  const category = errors[0]?.category ?? 'schema'
  const message = errors.map(one => one.message).join('; ')
  if (isExpectedFailure(raw, { category, message })) return []
  return errors.map(one => problemOf(one, raw))
}

const isLibrary = ({ type }: RawCase) => type === 'spec_lang.library'

/** Only for requested documents. */
function libraryProblems({ documents, cases, problemsOf }: SpecInput): readonly Problem[] {
  return documents.flatMap(document => {
    const own = document.cases.filter(
      raw => isLibrary(raw) && cases.includes(raw) && !problemsOf(raw).some(isError),
    )
    if (own.length === 0) return []
    const others = documents.filter(one => one !== document)
    const users = others.filter(one => one.cases.some(raw => uses(raw, one, document)))
    const here = document.cases.filter(raw => !isLibrary(raw))
    const elsewhere = namesIn([...here, ...others.flatMap(one => one.cases)])
    const isKnown = users.length > 0 || here.some(raw => uses(raw, document, document))
    return lintLibrary({ cases: own, usedElsewhere: isKnown ? elsewhere : undefined })
  })
}

/** The names these cases use or export. */
function namesIn(cases: readonly RawCase[]): ReadonlySet<string> {
  const listed = cases.flatMap(({ value }) =>
    textsIn(mappingIn(mappingIn(value, 'harness'), 'spec_lang'), 'exports'),
  )
  return usedNames(
    cases.map(({ value }) => value),
    new Set(listed),
  )
}

/** Whether a case or library includes that document. */
function uses(raw: RawCase, from: LoadedDocument, library: LoadedDocument): boolean {
  const config = mappingIn(mappingIn(raw.value, 'harness'), 'spec_lang')
  const paths = isLibrary(raw) ? libraryImports(raw.value) : textsIn(config, 'includes')
  return (
    from.root === library.root &&
    paths.some(path => {
      const read = contractPath(path)
      return 'path' in read && read.path === library.path
    })
  )
}
