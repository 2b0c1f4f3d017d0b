import { describe, expect, test } from 'vitest'
import { bound, evidence, judged, promised } from '../../../../test/a-turn.ts'

interface Given {
  readonly handoff?: object | null
  readonly constraints?: object
  readonly contract?: object
  readonly artifacts?: readonly object[]
}

function findingsOf({ handoff = null, constraints, contract, artifacts }: Given): string[] {
  const { spec, policies } = promised(contract ? { handoffContractDigest: contract } : {})
  const { findings } = judged({
    evidence: evidence([], { ...bound(spec), handoff, ...(artifacts && { artifacts }) }),
    policies,
    ...(constraints && { handoffConstraints: constraints }),
  })
  return findings.map(({ failureClass, message }) => `${failureClass}: ${message}`)
}

const target = 'handoff.target_not_allowed'
const artifact = 'handoff.required_artifact_missing'
const returnPath = 'handoff.return_path_missing: a return path is required, and none is given'

describe.each([
  [
    'declared',
    (targets: string[], refs: string[], path: boolean) => ({
      constraints: { allowedTargets: targets, requiredArtifactRefs: refs, requireReturnPath: path },
    }),
  ],
  [
    'of the bound contract',
    (targets: string[], refs: string[], path: boolean) => ({
      contract: { targets, requiredArtifacts: refs, returnPath: path },
    }),
  ],
])('constraints %s', (_, demand) => {
  const all = demand(['x', 'y'], ['r'], true)

  test('are met by a complete handoff', () => {
    const handoff = { target: ' y ', requiredArtifactRefs: ['s', 'r'], returnPathRef: 'back' }
    expect(findingsOf({ ...all, handoff })).toEqual([])
  })

  test('are broken one by one', () => {
    expect(findingsOf({ ...all, handoff: { target: 'z' } })).toEqual([
      `${artifact}: r is required and not carried`,
      returnPath,
      `${target}: z; allowed are x, y`,
    ])
  })

  test('are broken by a missing handoff', () => {
    expect(findingsOf(all)).toEqual([
      `${artifact}: r is required and not carried`,
      returnPath,
      `${target}: there is no target; allowed are x, y`,
    ])
  })

  test('that are blank require nothing', () => {
    expect(findingsOf(demand([' '], [''], false))).toEqual([])
    expect(findingsOf({ ...demand([], [], false), handoff: { target: 'z' } })).toEqual([])
  })
})

test('with constraints and a contract, a target must be on both lists', () => {
  const both = { constraints: { allowedTargets: ['x', 'y'] }, contract: { targets: ['y', 'z'] } }
  expect(findingsOf({ ...both, handoff: { target: 'y' } })).toEqual([])
  expect(findingsOf({ ...both, handoff: { target: 'x' } })).toEqual([`${target}: x; allowed are y`])
  const apart = { constraints: { allowedTargets: ['x'] }, contract: { targets: ['z'] } }
  expect(findingsOf({ ...apart, handoff: { target: 'x' } })).toEqual([
    `${target}: x; allowed are none`,
  ])
})

test('with constraints and a contract, the artifacts and return path of either are required', () => {
  const both = {
    constraints: { requiredArtifactRefs: ['r'] },
    contract: { requiredArtifacts: ['s'], returnPath: true },
  }
  expect(findingsOf({ ...both, handoff: { target: 'x' } })).toEqual([
    `${artifact}: r is required and not carried`,
    `${artifact}: s is required and not carried`,
    returnPath,
  ])
})

test('a carried ref needs an artifact row if there are artifact rows', () => {
  const handoff = { target: 'x', requiredArtifactRefs: ['r'] }
  const row = (ref: string) => ({ ref, path: 'p', digest: 'd' })
  expect(findingsOf({ handoff })).toEqual([])
  expect(findingsOf({ handoff, artifacts: [row('r')] })).toEqual([])
  expect(findingsOf({ handoff, artifacts: [row('s')] })).toEqual([
    `${artifact}: r is carried, but no artifact row records it`,
  ])
})

test('a contract that cannot be read is refused', () => {
  expect(
    findingsOf({ contract: { targets: 'x', requiredArtifacts: [1], returnPath: 'yes' } }),
  ).toEqual(
    [artifact, 'handoff.return_path_missing', target].map(
      failureClass =>
        `${failureClass}: the policy document says this in a form that cannot be read`,
    ),
  )
})
