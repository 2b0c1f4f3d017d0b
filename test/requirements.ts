/**
 * Every MUST of the contracts this repository keeps, in our own words. A test cites the id in its
 * name, `[typestate.5.no-orphan]`; `coverage.test.ts` fails on one that nobody cites. Later work
 * adds its own documents here.
 */

export interface Requirement {
  readonly clause: string
  readonly behavior: string
  /** The piece of work that will bring it; such a requirement is not to be cited before. */
  readonly later?: string
}

export const requirements: Readonly<Record<string, Requirement>> = {
  // HARNESS-TYPESTATE
  'typestate.2.ordered-chain': {
    clause: 'HARNESS-TYPESTATE §2',
    behavior:
      'A turn is evaluated from call spec through requests, results and use to the join and mutation readiness; no later stage makes up for an earlier one.',
  },
  'typestate.2.fail-closed': {
    clause: 'HARNESS-TYPESTATE §2',
    behavior: 'Whatever is missing, unknown or broken, the turn is not ready to change memory.',
  },
  'typestate.2.no-mutation': {
    clause: 'HARNESS-TYPESTATE §2',
    behavior:
      'Without readiness there is no proof to hand to a mutation, and nothing else passes for one.',
  },
  'typestate.3.1.minimum-binding': {
    clause: 'HARNESS-TYPESTATE §3.1',
    behavior: 'A call spec binds eleven fields; a turn that lacks one is refused at that field.',
  },
  'typestate.3.2.rows': {
    clause: 'HARNESS-TYPESTATE §3.2',
    behavior:
      'Requests, results, uses, protocol state, handoff and context evidence are rows, one per id, in an order that does not depend on how they arrived.',
  },
  'typestate.3.2.error-envelope': {
    clause: 'HARNESS-TYPESTATE §3.2',
    behavior: 'An error result carries code, retryability and message in normal form.',
  },
  'typestate.3.2.envelope-missing': {
    clause: 'HARNESS-TYPESTATE §3.2',
    behavior: 'An error result that lacks code, retryability or message is refused.',
  },
  'typestate.4.kind': {
    clause: 'HARNESS-TYPESTATE §4',
    behavior:
      'Normal form is of the kind premath.harness.typestate_normalized.v1 and the same for the same input.',
  },
  'typestate.4.digest-bindings': {
    clause: 'HARNESS-TYPESTATE §4',
    behavior: 'Every set, the protocol state, the handoff packet and the join have a digest each.',
  },
  'typestate.4.byte-stable': {
    clause: 'HARNESS-TYPESTATE §4',
    behavior: 'Inputs that mean the same have the same digests, to the byte.',
  },
  'typestate.5.result-for-request': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior: 'The join is open while a requested call has no terminal result.',
  },
  'typestate.5.no-orphan': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior: 'The join is open while a result answers no request.',
  },
  'typestate.5.use-for-result': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior: 'The join is open while a terminal result has no typed use.',
  },
  'typestate.5.no-unknown-use': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior: 'The join is open while a use names an unknown or non-terminal result.',
  },
  'typestate.5.stop-reason': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior: 'The join is open when the protocol policy does not admit the stop reason.',
  },
  'typestate.5.context': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior:
      'The join is open when a loop goes on without context that is complete and under the bound policies.',
  },
  'typestate.5.decomposition': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior: 'Work that is split is refused where the split is not admissible.',
  },
  'typestate.5.handoff': {
    clause: 'HARNESS-TYPESTATE §5',
    behavior: 'Work that is transferred is refused without its artifacts, target or return path.',
  },
  'typestate.6.join-closed': {
    clause: 'HARNESS-TYPESTATE §6',
    behavior: 'An open turn is not ready to change memory.',
  },
  'typestate.6.continuation': {
    clause: 'HARNESS-TYPESTATE §6',
    behavior: 'A loop that goes on is ready only when its context can be rebuilt.',
  },
  'typestate.6.active-policy': {
    clause: 'HARNESS-TYPESTATE §6',
    behavior: 'A turn is ready only under the mutation policy that is active.',
  },
  'typestate.6.witness-linkage': {
    clause: 'HARNESS-TYPESTATE §6',
    behavior:
      'A turn is ready only when it is linked to session and trajectory, and its proof names the verdict.',
  },
  'typestate.6.reject-missing-closure': {
    clause: 'HARNESS-TYPESTATE §6',
    behavior: 'A mutation is refused when the evidence of closure, or its linkage, is missing.',
  },
  'typestate.7.no-free-text-calls': {
    clause: 'HARNESS-TYPESTATE §7',
    behavior: 'In text mode a call without an adapter profile is refused.',
  },
  'typestate.7.text-adapter': {
    clause: 'HARNESS-TYPESTATE §7',
    behavior: 'In text mode calls come through an adapter profile that the call spec admits.',
  },
  'typestate.8.machine-readable': {
    clause: 'HARNESS-TYPESTATE §8',
    behavior:
      'A refusal names its failure classes as fixed strings, sorted, each once, the same for the same input.',
  },
  'typestate.8.minimum-classes': {
    clause: 'HARNESS-TYPESTATE §8',
    behavior:
      'The sixteen minimum classes and the three of provenance exist, and vectors fire them.',
  },
  'typestate.8.claim-gated': {
    clause: 'HARNESS-TYPESTATE §8',
    behavior: 'Governance classes speak only where the governance profile is claimed.',
  },
  'typestate.9.join-check': {
    clause: 'HARNESS-TYPESTATE §9',
    behavior: 'premath harness-join-check judges a turn: same input, same bytes and exit code.',
  },
  'typestate.9.vectors': {
    clause: 'HARNESS-TYPESTATE §9',
    behavior: 'premath conformance run judges the vectors: same vectors, same bytes and exit code.',
  },
  'typestate.9.issue-graph': {
    clause: 'HARNESS-TYPESTATE §9',
    behavior: 'A command checks the issue graph.',
    later: 'issue memory',
  },

  // TOOL-CALLING-HARNESS-TYPESTATE
  'tool-calling.0.executable-authority': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE, authority note',
    behavior:
      'What is accepted is decided by the gate that runs, and shown by vectors: no class is words only.',
  },
  'tool-calling.3.caller-scoped': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §3',
    behavior: 'Calls made by programs are scoped to allowed callers, with edges that check out.',
  },
  'tool-calling.3.compaction-checked': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §3',
    behavior: 'Compaction is typed, and refused where continuity does not check out.',
  },
  'tool-calling.4.2.text-adapter': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.2',
    behavior: 'Text is made structured by an explicit profile before a request counts.',
  },
  'tool-calling.4.3.caller-edge': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.3',
    behavior: 'Who called is held against the bound allowed callers of the tool.',
  },
  'tool-calling.4.5.stop-reason': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.5',
    behavior: 'The stop reason is admissible under the protocol policy the call spec brings.',
  },
  'tool-calling.4.5.handoff-artifacts': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.5',
    behavior: 'A transfer carries the artifacts of the bound handoff contract.',
  },
  'tool-calling.4.5.use-evidence': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.5',
    behavior: 'A mutation asks of every consumed result what it went into.',
  },
  'tool-calling.5.2.json-composition': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §5.2',
    behavior: 'A JSON action makes one call and has no control flow; composition takes turns.',
  },
  'tool-calling.7.minimum-classes': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §7',
    behavior: 'All forty-one classes of the design exist, and vectors fire them.',
  },
  'tool-calling.7.no-mutation': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §7',
    behavior: 'A turn with any failure class gets no proof that it may change memory.',
  },
}
