/**
 * Warns about useless parts of a valid case. It reports only certain findings. Invalid patterns are
 * errors.
 */

import { shellWord } from '../../text/shell-word.ts'
import { type AssertLeaf, type AssertNode, isJoinedIn } from '../assert/assert-tree.ts'
import { type HealthFinding, healthOf } from '../assert/health.ts'
import { placed } from '../case/check-case.ts'
import { expectedOutcome, isMeantToFail } from '../case/expect.ts'
import { chainTarget } from '../case/key-shape.ts'
import { mappingIn, ownImplementation, textsIn } from '../case/requires.ts'
import { chainOf } from '../chain/chain.ts'
import type { Problem, RawCase } from '../document/raw-case.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { namedIn, type Template, templatesIn, templatesOf } from '../template/template.ts'
import { constantAssertions, invalidPatterns } from './constant-assertions.ts'
import { unusedBuiltins } from './library-lint.ts'
import { type LintedCase, placeOf, usedNames, type Warning } from './linted-case.ts'
import { opposingAssertions } from './opposing-assertions.ts'
import { staticSubject } from './static-value.ts'

export function lintCase(one: LintedCase): readonly Problem[] {
  // The author can switch assertion health off.
  const isMeant = mappingIn(one.raw.value, 'assert_health').get('mode') === 'ignore'
  // Doubtful expressions and unhealthy assertions are how such a case fails.
  const isToFail = isMeantToFail(one.raw, ownImplementation)
  const found = [
    ...(isMeant || isToFail ? [] : unhealthy(one)),
    ...(isMeant ? [] : constantAssertions(one)),
    ...(isMeant ? [] : opposingAssertions(one)),
    ...(isMeant ? [] : joinedValues(one)),
    ...(isToFail ? [] : one.leaves.flatMap(leaf => doubtful(leaf, one))),
    ...(isToFail ? [] : one.conditions.flatMap(doubtfulCondition)),
    ...unread(one),
    ...unfilledTemplates(one),
    ...unusedExports(one),
    ...unusedNames(one),
  ]
  return [
    ...invalidPatterns(one).map(error => placed(error, one.raw)),
    ...found.map(warning => placed({ ...warning, severity: 'warning' }, one.raw)),
  ]
}

const healthHints: Readonly<Record<HealthFinding['code'], string>> = {
  AH001: 'Write the text that it must contain, or use exists.',
  AH002: 'Write the pattern that it must match, or use exists.',
  AH003: 'Remove one of the two.',
  AH004: 'Remove one of the two, or correct it.',
  AH005: 'Rewrite it without lookbehind, named groups, inline flags and possessive quantifiers.',
}

function unhealthy({ raw, leaves }: LintedCase): readonly Warning[] {
  const found = healthOf(raw.value.get('assert')).filter(one => !isAsking(one, leaves))
  return found.map(({ code, path, message }) => ({
    path,
    atKey: true,
    code,
    message,
    hint: healthHints[code],
  }))
}

/**
 * An assertion that holds for every text still fails if there is no text, for example on invalid
 * JSON.
 */
const isAsking = ({ code, path }: HealthFinding, leaves: readonly AssertLeaf[]) =>
  (code === 'AH001' || code === 'AH002') &&
  leaves.some(leaf => `${leaf.path}.${leaf.op}` === path && staticSubject(leaf.subject).mayFail)

/** Errors that occur if evaluation reaches them. */
function doubtful(leaf: AssertLeaf, { raw }: LintedCase): readonly Warning[] {
  return leaf.predicate.doubts.map(({ message, path }) => ({
    path: path ?? placeOf(leaf),
    atKey: true,
    code: 'lint.doubt',
    message,
    hint: `The assertion fails when it is evaluated. To see the values: premath spec explain ${shellWord(raw.id)}.`,
  }))
}

const doubtfulCondition = ({ path, when }: LintedCase['conditions'][number]): readonly Warning[] =>
  when.doubts.map(doubt => ({
    path: doubt.path ?? path,
    atKey: true,
    code: 'lint.doubt',
    message: doubt.message,
    hint: 'The case fails when the condition is evaluated. Correct it.',
  }))

const subjectNames: Readonly<Record<string, string>> = { 'cli.run': 'output', 'text.file': 'file' }

function unread({ raw, leaves, isNeeded }: LintedCase): readonly Warning[] {
  const thing = subjectNames[raw.type]
  const isRead = leaves.some(({ subject }) => subject !== chainTarget)
  // A hook may check the output, and another case may need the effect.
  const isMeant = raw.value.has('exit_code') || mappingIn(raw.value, 'harness').has('hook_after')
  // A run that is expected to fail offers no output.
  const isToFail = ['', ownImplementation].some(
    one => (expectedOutcome(raw, one)?.status ?? 'pass') !== 'pass',
  )
  if (thing === undefined || isRead || isMeant || isNeeded || isToFail) return []
  return [
    {
      path: '',
      code: 'lint.unread',
      message: `no assertion checks the ${thing}`,
      hint:
        raw.type === 'cli.run'
          ? 'Add an assertion about stdout or stderr, or set exit_code: 0 to check only the exit code.'
          : 'Add an assertion about its text.',
    },
  ]
}

/** Exports of a step are visible to this case only. */
function unusedExports({ raw, leaves, conditions }: LintedCase): readonly Warning[] {
  if (conditions.some(({ source }) => usedNames(source).has('chain'))) return []
  const isRead = ({ subject, op, source }: AssertLeaf) =>
    subject === chainTarget || (op === 'evaluate' && usedNames(source).has('chain'))
  if (leaves.some(isRead)) return []
  const steps = chainOf(raw)?.steps ?? []
  const ids = steps.map(({ id }) => id)
  const used = new Set(
    templatesOf(raw.value)
      .flatMap(one => exportIn(one, ids))
      .map(({ step, name }) => `${step}\0${name}`),
  )
  const asserted = assertedTemplates(raw)
  const isOnlyAsserted = (id: string, exported: string) =>
    asserted.some(({ step, name }) => step === id && name === exported)
  return steps.flatMap(({ id, exports, at }) =>
    exports
      .filter(({ name }) => !used.has(`${id}\0${name}`))
      .map(({ name }) => ({
        path: `${at}.exports.${name}`,
        atKey: true,
        code: 'lint.unused_export',
        message: `the case does not use the export ${name} of the step ${id}`,
        hint: isOnlyAsserted(id, name)
          ? 'Assert on chain_json, or remove it. Templates in assertions are not filled.'
          : `Use it as {{chain.${id}.${name}}} in a command, assert on chain_json, or remove it.`,
      })),
  )
}

function unusedNames({ raw, leaves, conditions, scope }: LintedCase): readonly Warning[] {
  const config = mappingIn(mappingIn(raw.value, 'harness'), 'spec_lang')
  if (config.size === 0) return []
  const at = 'harness.spec_lang'
  const written = [...leaves.filter(({ op }) => op === 'evaluate'), ...conditions]
  const used = usedNames(written.map(({ source }) => source))
  const exported = textsIn(config, 'exports').flatMap((name, index) =>
    used.has(name)
      ? []
      : [
          {
            path: `${at}.exports[${index}]`,
            code: 'lint.unused_symbol',
            message: `no assertion uses ${name}`,
            hint: 'Remove it.',
          },
        ],
  )
  const isIncluded = config.has('includes') && !config.has('exports')
  const isUsed = [...scope.symbols.keys()].some(name => used.has(name))
  const included =
    !isIncluded || isUsed
      ? []
      : [
          {
            path: `${at}.includes`,
            atKey: true,
            code: 'lint.unused_include',
            message: 'no assertion uses the included libraries',
            hint: 'Remove them.',
          },
        ]
  const imported = unusedBuiltins(config.get('imports'), `${at}.imports`, used)
  return [...exported, ...included, ...imported]
}

/**
 * Warns about several values of one leaf in `cannot`: they must not all hold, but each alone may.
 */
const joinedValues = ({ root }: LintedCase): readonly Warning[] => joinedIn(root)

function joinedIn(node: AssertNode): readonly Warning[] {
  if (node.kind === 'leaf') return []
  return node.children.flatMap(child =>
    isJoinedIn(node, child) ? [joined(child.path, child.children.length)] : joinedIn(child),
  )
}

const joined = (path: string, count: number): Warning => ({
  path,
  code: 'lint.joined_values',
  message: `this leaf fails only if all ${count} values hold, not if one of them does`,
  hint: 'To forbid each value, write a separate leaf for each under cannot.',
})

/** Warns about templates in assertions, which are never filled. */
function unfilledTemplates({ raw, leaves }: LintedCase): readonly Warning[] {
  const ids = stepIds(raw)
  return leaves.flatMap(leaf =>
    ownTemplates(leaf.source, ids).map(({ text, step, name, path }) => ({
      path: placeOf(leaf),
      code: 'lint.template',
      message: `${text} is not filled: assertions do not support templates`,
      hint: `Use get_in with ${JSON.stringify(['state', step, name, ...path])} on target: chain_json.`,
    })),
  )
}

/** Steps and exports named by templates in assertions. */
const assertedTemplates = (raw: RawCase): readonly NamedExport[] =>
  ownTemplates(raw.value.get('assert') ?? null, stepIds(raw))

const stepIds = (raw: RawCase) => (chainOf(raw)?.steps ?? []).map(({ id }) => id)

/** Only templates of the case's own steps: tools may print braces. */
const ownTemplates = (value: SpecValue, ids: readonly string[]) =>
  textsWithin(value)
    .flatMap(templatesIn)
    .flatMap(one => exportIn(one, ids))
    .filter(({ step }) => ids.includes(step))

interface NamedExport {
  /** The whole template with its braces. */
  readonly text: string
  readonly step: string
  readonly name: string
  /** Keys and indices into the exported value. */
  readonly path: readonly string[]
}

function exportIn({ text, space, inner }: Template, ids: readonly string[]): NamedExport[] {
  if (space !== 'chain') return []
  const { name: step, path } = namedIn(inner, ids)
  const [name = '', ...keys] = path
  return [{ text, step, name, path: keys }]
}

function textsWithin(value: SpecValue): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(textsWithin)
  return isMapping(value) ? [...value.values()].flatMap(textsWithin) : []
}
