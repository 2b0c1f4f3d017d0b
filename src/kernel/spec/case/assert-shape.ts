/** Checks the shape of `assert`: groups, leaves and targets. Expressions are compiled later. */
import { nearest } from '../../text/nearest.ts'
import { blockOperators, operandsOf } from '../assert/sugar.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { kindOf, type ShapeProblem } from './check-shape.ts'
import type { JoinedTarget } from './key-shape.ts'

const groupKeys = ['must', 'can', 'cannot'] as const

/** `evaluate` and its shorthands. */
export const assertOperators = [
  'evaluate',
  'contain',
  'equal',
  'lines',
  'regex',
  'json_type',
  'exists',
] as const

interface Around {
  /** The inherited target; empty if no group has set one. */
  readonly target: string
  readonly type: string
  /** `undefined` allows any name. */
  readonly targets: readonly string[] | undefined
}

interface Targets {
  readonly type: string
  readonly targets: readonly string[] | undefined
  readonly joined: JoinedTarget | undefined
}

/** `at` is the path of the assertions in the case. */
export function checkAssert(
  value: SpecValue,
  { type, targets, joined }: Targets,
  at = 'assert',
): ShapeProblem[] {
  return [
    ...checkNode(value, at, { target: '', type, targets }),
    ...(joined ? checkJoined(value, joined) : []),
  ]
}

/** One pipe carries both streams, and nothing tells afterwards which wrote what. */
function checkJoined(value: SpecValue, { name, parts }: JoinedTarget): ShapeProblem[] {
  const used = writtenTargets(value, 'assert')
  if (!used.some(({ target }) => target === name)) return []
  return used
    .filter(({ target }) => parts.includes(target))
    .map(({ target, path }) => ({
      path,
      code: 'assert.target',
      message: `a case that asserts on ${name} has no ${target}: both streams go to one pipe`,
      hint: `Move the assertion on ${target} to a case of its own, or assert on ${name}.`,
    }))
}

interface WrittenTarget {
  readonly target: string
  readonly path: string
}

function writtenTargets(node: SpecValue, path: string): readonly WrittenTarget[] {
  if (isList(node)) return node.flatMap((one, at) => writtenTargets(one, `${path}[${at}]`))
  if (!isMapping(node)) return []
  const target = node.get('target')
  const own = typeof target === 'string' ? [{ target: target.trim(), path: `${path}.target` }] : []
  return [
    ...own,
    ...groupKeys.flatMap(key => writtenTargets(node.get(key) ?? null, `${path}.${key}`)),
  ]
}

/** True if the assertions of a case look at this target. */
export const assertsOn = (assert: SpecValue | undefined, target: string): boolean =>
  writtenTargets(assert ?? null, 'assert').some(one => one.target === target)

function checkNode(node: SpecValue, path: string, around: Around): ShapeProblem[] {
  if (Array.isArray(node)) {
    const items = node as readonly SpecValue[]
    return items.flatMap((item, index) => checkNode(item, `${path}[${index}]`, around))
  }
  if (!(node instanceof Map)) {
    return [flaw(path, `assertion must be a mapping or a list, but is ${kindOf(node)}`)]
  }
  const groups = groupKeys.filter(key => node.has(key))
  const [group, second] = groups
  if (second !== undefined) {
    const message = `assertion group must have only one of must, can, cannot, but has ${list(groups)}`
    return [
      { ...flaw(path, message), hint: 'Write a group for each of them, with the same target.' },
    ]
  }
  return group === undefined ? checkLeaf(node, path, around) : checkGroup(node, group, path, around)
}

type Mapping = ReadonlyMap<string, SpecValue>

function checkGroup(node: Mapping, group: string, path: string, around: Around): ShapeProblem[] {
  const strange = [...node.keys()]
    .filter(key => key !== group && key !== 'target')
    .map(key => unknown(`${path}.${key}`, `unknown key in an assertion group: ${key}`, key))
  const { target, problems } = targetOf(node, path, around)
  const children = node.get(group) ?? null
  const at = `${path}.${group}`
  if (!Array.isArray(children) || children.length === 0) {
    const message = `assertion ${group} must be a non-empty list, but is ${kindOf(children)}`
    return [...strange, ...problems, flaw(at, message)]
  }
  return [...strange, ...problems, ...checkNode(children, at, { ...around, target })]
}

function targetOf(node: Mapping, path: string, around: Around) {
  const value = node.get('target')
  const at = `${path}.target`
  if (value === undefined || value === null) return { target: around.target, problems: [] }
  if (typeof value !== 'string') {
    return {
      target: around.target,
      problems: [flaw(at, `assertion target must be text, but is ${kindOf(value)}`)],
    }
  }
  const target = value.trim() || around.target
  const isKnown = !around.targets || target === '' || around.targets.includes(target)
  return { target, problems: isKnown ? [] : [unknownTarget(at, target, around)] }
}

function unknownTarget(path: string, target: string, { type, targets = [] }: Around): ShapeProblem {
  const meant = nearest(target, targets)
  return {
    path,
    code: 'assert.target',
    message: `unknown assert target for ${type}: ${target}`,
    hint: meant ? `Did you mean ${meant}?` : `Use one of ${list(targets)}.`,
  }
}

function checkLeaf(node: Mapping, path: string, { target, type }: Around): ShapeProblem[] {
  const problems: ShapeProblem[] = []
  let expressions = 0
  let operators = 0
  for (const [key, value] of node) {
    const at = `${path}.${key}`
    if (key === 'target') {
      problems.push({
        ...flaw(at, 'leaf assertion must not include key: target'),
        atKey: true,
        hint: 'Put the leaf into a group (must, can, cannot) and set the target on the group.',
      })
    } else if (!assertOperators.some(one => one === key)) {
      problems.push(unknown(at, `unsupported op for ${type}.${target || '(none)'}: ${key}`, key))
    } else {
      operators++
      const operands = operandsOf(key, value)
      if (operands !== undefined) expressions += operands.length
      else {
        const hint = `Write a list of values: ${key}: […].`
        problems.push({ ...flaw(at, operandsFlaw(key, value)), hint })
      }
    }
  }
  if (problems.length > 0) return problems
  if (expressions === 0) {
    return [
      flaw(path, `assertion has ${operators > 0 ? 'an operator without values' : 'no operator'}`),
    ]
  }
  if (target !== '') return []
  return [
    {
      ...flaw(path, 'leaf assertion requires inherited target from parent group'),
      hint: 'Put it into a group that has a target.',
    },
  ]
}

function operandsFlaw(op: string, value: SpecValue): string {
  const wanted = blockOperators.includes(op) ? 'text or a list' : 'a list'
  return `assertion op ${op} must be ${wanted}, but is ${kindOf(value)}`
}

function unknown(path: string, message: string, key: string): ShapeProblem {
  const meant = nearest(key, [...groupKeys, ...assertOperators, 'target'])
  return {
    path,
    atKey: true,
    code: 'assert.unknown_key',
    message,
    hint: meant
      ? `Did you mean ${meant}?`
      : `Groups are ${list(groupKeys)}; operators are ${list(assertOperators)}.`,
  }
}

const flaw = (path: string, message: string): ShapeProblem => ({
  path,
  code: 'assert.shape',
  message,
})

const list = (words: readonly string[]) => words.join(', ')
