/** Checks the shape of `assert`: groups, leaves and targets. Expressions are compiled later. */
import { nearest } from '../../text/nearest.ts'
import type { SpecValue } from '../lang/value.ts'
import { kindOf, type ShapeProblem } from './check-shape.ts'

const groupKeys = ['must', 'can', 'cannot'] as const

/** `evaluate` and its shorthands. */
const assertOperators = ['evaluate', 'contain', 'regex', 'json_type', 'exists'] as const

interface Around {
  /** The inherited target; empty if no group has set one. */
  readonly target: string
  readonly type: string
  /** `undefined` allows any name. */
  readonly targets: readonly string[] | undefined
}

export function checkAssert(
  value: SpecValue,
  type: string,
  targets: readonly string[] | undefined,
): ShapeProblem[] {
  return checkNode(value, 'assert', { target: '', type, targets })
}

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
    return [
      flaw(
        path,
        `assertion group must have only one of must, can, cannot, but has ${list(groups)}`,
      ),
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
      if (Array.isArray(value)) expressions += value.length
      else problems.push(flaw(at, `assertion op ${key} must be a list, but is ${kindOf(value)}`))
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
