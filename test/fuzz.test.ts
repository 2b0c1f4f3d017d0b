/**
 * Inputs nobody would write, and what must hold for each of them. A short form runs with all other
 * tests; `npm run fuzz` goes on for longer. A failure prints its seed and the smallest input.
 */

import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { Fault } from '../src/fault.ts'
import { canonicalJson, digestOf } from '../src/kernel/canonical.ts'
import {
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  parseJson,
} from '../src/kernel/json.ts'
import { type Join, joinTurn } from '../src/kernel/turn/join.ts'
import { MutationReady } from '../src/kernel/turn/mutation-ready.ts'
import { freeKeys, normalizeTurn } from '../src/kernel/turn/normalize.ts'
import { classByPolicy } from '../src/kernel/turn/policy-class.ts'
import { joinReport, printReport } from '../src/kernel/turn/report.ts'
import { type FailureClass, rules } from '../src/kernel/turn/rules/index.ts'
import type { Turn } from '../src/kernel/turn/turn.ts'
import { schemaComplaints } from '../src/project/gate/schema-complaints.ts'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { JoinReport } from '../src/wire/turn/join-report.ts'
import type { Fields } from '../src/wire/turn/row.ts'
import {
  CallSpec,
  Claims,
  Extension,
  Handoff,
  Linkage,
  ProtocolState,
  surfaces,
} from '../src/wire/turn/turn-evidence.ts'
import { callSpec, governanceProfileId, kit as plainKit } from './a-turn.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 2_500)
/** The same in every `npm test`; `npm run fuzz` begins elsewhere each time. */
const first = process.env['FUZZ_RUNS'] === undefined ? 20_261_115 : Date.now() % 2 ** 31
const seed = Number(process.env['FUZZ_SEED'] ?? first)
const kit = { ...plainKit, schemaComplaints }

const seen = { inputs: 0, bad: 0, accepted: 0, rejected: 0, ready: 0 }
const classes = new Set<string>()

afterAll(() => {
  const { inputs, bad, accepted, rejected, ready } = seen
  console.log(
    `fuzz: ${inputs} inputs from seed ${seed}: ${accepted} accepted (${ready} ready), ` +
      `${rejected} rejected by ${classes.size} of ${Object.keys(rules).length} classes, ${bad} bad`,
  )
})

// Properties

interface Answer {
  readonly input: Json
  readonly turn: Turn
  readonly join: Join
  readonly text: string
  readonly report: JoinReport
}

/** The answer to an input, or nothing where it is bad. Throws whatever else went wrong. */
function answer(read: () => Json): Answer | undefined {
  try {
    const input = frozen(read())
    const turn = normalizeTurn(input, kit)
    const join = joinTurn(turn, kit)
    const printed = printReport(turn, join, kit.sha256)
    return { input, turn, join, text: printed, report: JSON.parse(printed) }
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid_input') return undefined
    throw error
  }
}

/** Freezes the input, so that a write throws: judging must not modify it. */
function frozen(value: Json): Json {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    for (const member of Object.values(value)) frozen(member as Json)
  }
  return value
}

function examine(text: string): void {
  seen.inputs++
  const given = answer(() => parseJson(text, { freeKeys }))
  if (!given) {
    seen.bad++
    return
  }
  seen[given.report.result]++
  if (given.report.mutationReady) seen.ready++
  for (const failureClass of given.report.failureClasses) classes.add(failureClass)
  isCanonical(given)
  isConsistent(given)
  isOnceWhenTwice(given)
  isTheSameInAnyOrder(given)
}

function isCanonical({ turn, join, text, report }: Answer): void {
  // Most reports are printed by `JSON.stringify`, which has to agree with the canonical printer.
  expect(canonicalJson(joinReport(turn, join, kit.sha256) as unknown as Json)).toBe(text)
  mustMatchShape(JoinReport, report)
}

function isConsistent({ input, report }: Answer): void {
  const { findings, failureClasses, joinClosed, mutationReady, normalized, witness } = report
  const { joinState, digests } = normalized
  const named = [...new Set(findings.map(finding => finding.failureClass))]
  const texts = findings.map(({ failureClass, at, message }) => `${failureClass} ${at} ${message}`)
  expect(failureClasses).toEqual(named.toSorted())
  expect(new Set(texts).size).toBe(texts.length)
  for (const { failureClass, remedy } of findings) {
    expect(remedy).toBe(rules[failureClass as FailureClass].remedy)
  }
  expect(joinClosed).toBe(findings.length === 0)
  expect(report.result).toBe(joinClosed ? 'accepted' : 'rejected')
  const asked = isJsonObject(input) && isJsonObject(input['mutation'])
  expect(mutationReady).toBe(joinClosed && asked && report.unmetDemands.length === 0)
  const open = [
    ['tool.result_missing', joinState.missingResultCallIds],
    ['tool.result_orphan', joinState.orphanResultCallIds],
    ['tool.use_missing', joinState.missingUseCallIds],
    ['tool.use_without_result', joinState.unknownUseCallIds],
  ] as const
  for (const [failureClass, calls] of open) {
    expect(failureClasses.includes(failureClass)).toBe(calls !== undefined)
  }
  expect(joinState.joinClosed).toBe(open.every(([, calls]) => calls === undefined))
  expect(failureClasses.includes('tool.join_incomplete')).toBe(!joinState.joinClosed)
  expect(witness.digests).toEqual(digests)
  const proof = MutationReady.gate(input, kit)
  expect(proof.ready).toBe(mutationReady)
  if (proof.ready) expect(proof.witnessDigest).toBe(report.witnessDigest)
}

/** Normalizing twice is once: a normal form, handed in as evidence, comes out as it went in. */
function isOnceWhenTwice({ turn }: Answer): void {
  const again = normalizeTurn(
    {
      ...(turn.claims as JsonObject),
      evidence: {
        ...turn.extension,
        callSpec: turn.callSpec,
        handoff: turn.handoff ?? null,
        protocolState: turn.protocolState,
        reminderQueue: turn.queues,
        sessionRefs: turn.sessionRefs,
        stateViews: turn.views,
        toolRender: turn.renders,
        toolRequests: turn.requests,
        toolResults: turn.results,
        toolUse: turn.uses,
        trajectoryRefs: turn.trajectoryRefs,
      } as unknown as JsonObject,
    },
    kit,
  )
  expect(again.digests).toEqual(turn.digests)
  expect(canonicalJson(again.claims as unknown as Json)).toBe(
    canonicalJson(turn.claims as unknown as Json),
  )
  expect([again.sessionRefs, again.trajectoryRefs]).toEqual([turn.sessionRefs, turn.trajectoryRefs])
}

/** Rows of the evidence and tools of the policy, in another order: the same answer to the byte. */
function isTheSameInAnyOrder({ input, text, report }: Answer): void {
  const turned = answer(() => rowsTurned(input))
  expect(turned).toBeDefined()
  if (!turned) return
  const positional = /\[\d+\]/
  if (!report.findings.some(({ at }) => positional.test(at))) {
    expect(turned.text).toBe(text)
    return
  }
  // A row without an id is named by its position, the only thing that may change.
  const nameless = ({ findings, ...rest }: JoinReport) => ({
    rest,
    findings: [
      ...new Set(
        findings.map(({ at, ...rest }) =>
          canonicalJson({ ...rest, at: at.replaceAll(/\[\d+\]/g, '[]') }),
        ),
      ),
    ].toSorted(),
  })
  expect(nameless(turned.report)).toEqual(nameless(report))
}

const rowLists = [
  ...Object.keys(surfaces),
  ...Object.entries(Extension as Fields)
    .filter(([, field]) => field.kind === 'rows')
    .map(([name]) => name),
  'tools',
]

/** Every list of rows the other way round, and its first row in the middle. */
function rowsTurned(value: Json, key = ''): Json {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(item => rowsTurned(item))
    if (!rowLists.includes(key)) return items
    const [first, ...rest] = items.toReversed()
    return first === undefined ? items : rest.toSpliced(rest.length >> 1, 0, first)
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      free.includes(name) ? member : rowsTurned(member, name),
    ]),
  )
}

/** Values of these names are somebody's data, in which order means something. */
const freeFields = [...freeKeys.values()].flatMap(keys => [...keys])
const free = [...freeFields, 'inputSchema', 'toolChoice', 'preContextFilterPolicy', 'policies']

// Generators

const words = [
  ...[
    'a',
    'b',
    ' a ',
    '',
    ' ',
    'A',
    'é',
    '😀',
    '\uffff',
    '\u0085x\ufeff',
    '\u0085',
    '\u0085\ufeff',
    'c1',
    'model',
    'fs.read',
  ],
  ...['pol-render', 'pol-queue', 'pol-view', 'pol-decomp', 'pol-mut', '/repo', '/repo/../x', 'src'],
  ...[
    'tool_use',
    'end_turn',
    'END_TURN',
    'consumed',
    'single',
    'parallel',
    '0',
    '17',
    'a\u0000"\\',
  ],
  ...['__proto__', 'constructor', 'toString', governanceProfileId, 'transfer', 'policy'],
  ...['capabilities.change_morphisms', 'capabilities.change_morphisms.all', 'optional'],
  ...[`${'x'.repeat(79)}😀y`, `${'k'.repeat(199)}😀`],
]
const anyText = fc.string({ unit: 'binary', maxLength: 6 })
const word = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: anyText },
)
const callId = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('c1', 'c2', 'c3', ' c1', '2') },
  { weight: 1, arbitrary: fc.oneof(word, fc.constant('i'.repeat(4097))) },
)

const lexemes = [
  ...['1.0', '-0', '0.1', '1e3', '1E-7', '18446744073709551616', '12345678901234567890'],
  ...['97.00342940360393', '1.8871058016904487e-29', '5e-324', '1e308'],
].map(lexeme => new JsonNumber(lexeme))
const number = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: -5, max: 2000 }),
  fc.constantFrom(...lexemes),
)

const keys = fc.oneof(
  fc.constantFrom(
    ...['evidence', 'callSpec', 'toolCallId', 'payload', 'policies', 'mutation', ...words],
    ...Object.keys({ ...surfaces, ...Extension, ...Claims, ...CallSpec }),
  ),
  anyText,
)

const anyJson = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    fc.constant(null),
    fc.boolean(),
    number,
    word,
    fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }),
    fc.dictionary(keys, tie('value'), { maxKeys: 5, depthIdentifier: 'json' }),
  ),
})).value

/** A few, since each has to be compiled. */
const schemas: readonly Json[] = [
  ...[true, false, {}, 'no schema', { type: 'object', required: ['a'] }, { pattern: '^a$' }],
  ...[{ $ref: '#' }, { $async: true }, { minimum: new JsonNumber('1.5') }],
]

/** Mostly what the contract asks for; now and then anything. */
function fieldValue(name: string, field: Fields[string]): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 40, arbitrary: contracted(name, field) },
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: fc.constantFrom<Json>(null, [], {}, '', 0, false) },
  )
}

function contracted(name: string, field: Fields[string]): fc.Arbitrary<Json> {
  if (name === 'toolCallId' || name === 'parentToolCallId') return callId
  if (name === 'toolName') return fc.constantFrom('fs.read', 'code', 'bash')
  if (name === 'inputSchema') return fc.constantFrom(...schemas)
  switch (field.kind) {
    case 'token':
      return field.values
        ? fc.constantFrom(...field.values, field.values[0]?.toUpperCase() ?? '')
        : word
    case 'flag':
      return fc.boolean()
    case 'count':
      return fc.integer({ min: field.min ?? 0, max: 4 })
    case 'number':
      return number
    case 'refs':
      return fc.array(word, { maxLength: 3 })
    case 'json':
      return anyJson
    case 'object':
      return row(field.fields)
    case 'rows':
      return fc.array(row(field.fields), { maxLength: 3 })
    default:
      return word
  }
}

/** Required members are mostly present; optional ones in one of four rows. */
function row(fields: Fields): fc.Arbitrary<JsonObject> {
  const members = Object.entries(fields).map(([name, field]) => {
    const present = field.required ? 30 : 1
    const absent = field.required ? 1 : 3
    return fc
      .oneof(
        { weight: present, arbitrary: fieldValue(name, field) },
        { weight: absent, arbitrary: fc.constant(undefined) },
      )
      .map(value => (value === undefined ? [] : [[name, value] as const]))
  })
  return fc.tuple(...members).map(found => Object.fromEntries(found.flat()))
}

const documents = row({
  maxFanOut: { kind: 'count' },
  maxFailures: { kind: 'count' },
  minProbes: { kind: 'count' },
  patterns: { kind: 'refs' },
  requireTrigger: { kind: 'flag' },
  requiredArtifacts: { kind: 'refs' },
  returnPath: { kind: 'flag' },
  roles: { kind: 'json' },
  targets: { kind: 'refs' },
  thresholds: { kind: 'json' },
  useRefs: { kind: 'text' },
})

const policyFields = [
  ...Object.keys(classByPolicy),
  'handoffContractDigest',
  'unheardOf',
  '__proto__',
]

/** A turn by the contract of every row, with what it was under and what it asks for. */
const contractTurn = fc
  .record({
    spec: row(CallSpec),
    own: row({ ...Extension, ...Linkage }),
    lists: fc.tuple(
      ...Object.entries(surfaces).map(([name, fields]) =>
        fc.array(row(fields), { maxLength: 4 }).map(rows => [name, rows] as const),
      ),
    ),
    handoff: fc.option(row(Handoff)),
    protocolState: row(ProtocolState),
    claims: row(Claims),
    policies: fc.dictionary(fc.constantFrom(...policyFields), documents, { maxKeys: 3 }),
    bound: fc.boolean(),
  })
  .map(({ spec, own, lists, handoff, protocolState, claims, policies, bound }): Json => {
    const digests = Object.entries(policies).map(
      ([field, document]) =>
        [field, digestOf(parseJson(canonicalJson(document)), kit.sha256)] as const,
    )
    return {
      ...claims,
      policies,
      evidence: {
        ...own,
        ...Object.fromEntries(lists),
        callSpec: { ...callSpec, ...spec, ...(bound && Object.fromEntries(digests)) },
        handoff,
        protocolState,
      },
    }
  })

/** A closed turn that may change memory, with evidence of every kind. */
function wholeTurn(calls: readonly string[]): Json {
  const policies = {
    mutationPolicyDigest: { useRefs: 'optional' },
    decompositionPolicyDigest: { maxFanOut: 4, patterns: ['single', 'chain'] },
    handoffContractDigest: {
      targets: ['reviewer'],
      requiredArtifacts: ['out/a'],
      returnPath: true,
    },
    contextScopeDigest: { roles: { orchestrator: { read: ['src'], write: ['out'] } } },
    evalGatePolicyDigest: { thresholds: { accuracy: new JsonNumber('0.5') } },
    redTeamPolicyDigest: { minProbes: 1, maxFailures: 0 },
  }
  const digests = Object.fromEntries(
    Object.entries(policies).map(([field, document]) => [field, digestOf(document, kit.sha256)]),
  )
  const results = calls.map((toolCallId, at) => {
    const error = { errorCode: 'timeout', retryable: true, errorMessage: 'gave up' }
    const ok = { payload: { at, text: 'x' }, seq: 20 + at, tokenDelta: new JsonNumber('1.5') }
    return {
      toolCallId,
      bytes: null,
      ...(at % 3 === 2 ? { ...error, payload: '', seq: 20 + at } : ok),
    }
  })
  return {
    evidence: {
      callSpec: {
        ...callSpec,
        ...digests,
        compactionPolicyDigest: 'pol-compact',
        executionBoundaryPolicy: { workdirRoots: ['/repo'], editSurfaces: ['out'] },
        guardrailStagePolicyDigest: 'pol-guard',
        observabilityMode: 'dashboard',
        orchestrationRole: 'orchestrator',
        parallelPolicy: { allowed: true, maxBranches: 9 },
        protocolStatePolicy: { handled: ['tool_use', 'end_turn'], continues: ['tool_use'] },
        riskTier: 'low',
        runtimeSandboxRef: 'box',
        stopPolicy: { maxIterations: 9, checkpointEvery: 2 },
        toolPolicy: {
          tools: [
            { toolName: 'code', codeExecution: true, shell: true },
            {
              toolName: 'fs.read',
              allowedCallers: ['model', 'code'],
              inputSchema: { type: 'object' },
            },
          ],
        },
        toolResponseTruncationPolicy: { maxBytes: 99, marker: '[cut]' },
        toolTransportPolicy: { ordering: 'strict', parallelToolCalls: true },
      },
      toolRequests: calls.map((toolCallId, at) => ({
        ...{ toolCallId, toolName: 'fs.read', seq: 10 + at, groupId: 'g', arguments: { at } },
      })),
      toolResults: results,
      toolUse: calls.map((toolCallId, at) => ({
        ...{ toolCallId, disposition: at % 2 === 0 ? 'consumed' : 'observed_only' },
      })),
      toolRender: calls.map(toolCallId => ({
        ...{ toolCallId, operatorPayloadDigest: 'o', reminderRenderDigest: 'r' },
        ...{ injectionPoint: 'Tool_Response', policyDigest: 'pol-render' },
      })),
      reminderQueue: [{ queueId: 'q', reducedDigest: 'd', policyDigest: 'pol-queue' }],
      stateViews: [
        { viewId: 'v', viewDigest: 'd', policyDigest: 'pol-view', sourceRefs: ['b', 'a'] },
      ],
      protocolState: { stopReason: 'TOOL_USE', continuationAllowed: true },
      handoff: { target: 'reviewer', requiredArtifactRefs: ['out/a'], returnPathRef: 'back' },
      sessionRefs: ['s'],
      trajectoryRefs: ['t'],
      artifacts: [{ ref: 'out/a', path: 'out/a', digest: 'd', role: 'orchestrator' }],
      checkpointRef: 'c',
      compaction: {
        policyDigest: 'pol-compact',
        carriedRefs: ['a'],
        droppedToolCallIds: calls.slice(0, 1),
        stateDigest: digestOf(['a'], kit.sha256),
      },
      contextAccess: [{ role: 'orchestrator', ref: 'src/a', mode: 'read' }],
      escalation: { metric: 'm', value: new JsonNumber('0.25'), ref: 'r' },
      evals: [
        {
          ...{ metric: 'accuracy', value: new JsonNumber('0.75') },
          ...{ datasetLineageRef: 'd', graderConfigLineageRef: 'g' },
        },
      ],
      guardrails: ['pre_flight', 'input', 'output'].map((stage, seq) => ({
        ...{ stage, guardrailId: stage, triggered: false, seq },
      })),
      iteration: 2,
      redTeam: { probes: 2, failures: 0, reportRef: 'r' },
      riskTierProfileRef: 'r',
      searches: [],
      selfEvolution: { maxAttempts: 1, terminalEscalation: 'e', rollbackRef: 'b' },
      traceMode: 'dashboard',
    },
    activeMutationPolicyDigest: digests['mutationPolicyDigest'] ?? '',
    capabilityClaims: ['capabilities.change_morphisms', 'capabilities.change_morphisms.all'],
    governanceProfile: {
      claimed: true,
      claimId: governanceProfileId,
      policyProvenance: { pinned: true, packageRef: 'p', expectedDigest: 'd', boundDigest: 'd' },
    },
    mutation: { kind: 'issue', action: 'close', issueId: 'i' },
    policies,
  }
}

const calls = fc.constantFrom([], ['c1'], ['c2', 'c1'], ['c3', 'c1', 'c2', 'é'])
const closedTurn = calls.map(wholeTurn)

type Change = (value: Json, other: Json) => Json | undefined

/** The mutations of one place of a document; `undefined` removes it. */
const changes: Readonly<Record<string, Change>> = {
  drop: () => undefined,
  nullify: () => null,
  wrap: value => [value],
  replace: (_, other) => other,
  empty: value => (Array.isArray(value) ? [] : isJsonObject(value) ? {} : ''),
  repeat: value => (Array.isArray(value) ? [...value, ...value] : value),
  conflict: value =>
    Array.isArray(value)
      ? [...value, ...value.map((item, at) => spoiled(item as Json, at))]
      : value,
  retype: value =>
    typeof value === 'string' ? value.length : typeof value === 'number' ? String(value) : 'text',
  flip: value => (typeof value === 'boolean' ? !value : value),
  space: value => (typeof value === 'string' ? `\u0085${value.toUpperCase()} ` : value),
}

/** The same row with one member less. */
function spoiled(item: Json, at: number): Json {
  if (!isJsonObject(item)) return item
  const names = Object.keys(item)
  return Object.fromEntries(
    Object.entries(item).filter(
      ([name]) => name !== names[at % names.length] || name === 'toolCallId',
    ),
  )
}

const change = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom(...Object.keys(changes)),
  other: anyJson,
})

interface Chosen {
  readonly place: number
  readonly kind: string
  readonly other: Json
}

/** Applies a change at one place, all places counted in the order they are met. */
function changed(document: Json, { place, kind, other }: Chosen): Json {
  let count = 0
  const counted = (value: Json): void => {
    count++
    if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return
    for (const member of Object.values(value)) counted(member as Json)
  }
  counted(document)
  let left = place % count
  const walk = (value: Json): Json | undefined => {
    if (left-- === 0) return changes[kind]?.(value, other)
    if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
    if (Array.isArray(value)) {
      return (value as readonly Json[]).map(walk).filter(item => item !== undefined)
    }
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        const after = walk(member as Json)
        return after === undefined ? [] : [[name, after]]
      }),
    )
  }
  return walk(document) ?? null
}

const changedTurn = fc
  .tuple(closedTurn, fc.array(change, { maxLength: 5 }))
  .map(([turn, some]) => some.reduce(changed, turn))

const marks = [
  ...'{}[]",:\\ue0-.1tfn \n',
  '\ud83d',
  '\ufeff',
  '\\ud800',
  '1e999',
  '"payload":',
  '[[[[',
]

/** Text with pieces taken out, put in, and doubled. */
const changedText = fc
  .tuple(
    fc.oneof(closedTurn, contractTurn).map(canonicalJson),
    fc.array(
      fc.record({
        at: fc.nat(),
        take: fc.constantFrom(0, 0, 1, 2, 30),
        put: fc.constantFrom('', '', ...marks),
        double: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((before, { at, take, put, double }) => {
      const start = at % (before.length + 1)
      const piece = before.slice(start, start + take)
      return (
        before.slice(0, start) + put + (double ? piece + piece : '') + before.slice(start + take)
      )
    }, text),
  )

// The runs

/** How the runs are shared out; the whole is what `npm test` promises. */
const shares = [
  ['any JSON at all', 0.25, anyJson.map(canonicalJson)],
  [
    'any JSON in the place of evidence',
    0.1,
    anyJson.map(value => canonicalJson({ evidence: value })),
  ],
  ['turns by the contract', 0.25, contractTurn.map(canonicalJson)],
  ['whole turns, changed here and there', 0.2, changedTurn.map(canonicalJson)],
  ['text of turns, changed here and there', 0.2, changedText],
] as const

test('the unchanged turn is accepted and ready', () => {
  for (const some of [[], ['c1'], ['c3', 'c1', 'c2', 'é']]) {
    const { report } = answer(() => parseJson(canonicalJson(wholeTurn(some)))) ?? {}
    expect(report?.findings).toEqual([])
    expect(report?.unmetDemands).toEqual([])
    expect(report?.mutationReady).toBe(true)
  }
})

test.each(shares)('%s', (_, share, texts) => {
  fc.assert(fc.property(texts, examine), {
    numRuns: Math.ceil(runs * share),
    seed,
    endOnFailure: false,
  })
})

test('the fuzzer tried enough inputs of every sort', () => {
  expect(seen.inputs).toBeGreaterThanOrEqual(runs)
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
  expect(classes.size).toBeGreaterThan(30)
})
