/**
 * The MUST clauses of the contracts that this repository implements, in our own words. A test cites
 * the id in its name, `[typestate.5.no-orphan]`, and a mutant in `mutants/` breaks the requirement.
 * `coverage.test.ts` fails for a requirement without a test, `mutants.test.ts` for one without a
 * mutant.
 */

export interface Requirement {
  readonly clause: string
  readonly behavior: string
}

export const requirements: Readonly<Record<string, Requirement>> = {
  // HARNESS-RUNTIME
  'runtime.1.1.retry-policy-digest': {
    clause: 'HARNESS-RUNTIME §1.1',
    behavior:
      'The retry policy is one artifact, bound by its digest; one that does not match is refused.',
  },
  'runtime.1.1.escalation-mapping': {
    clause: 'HARNESS-RUNTIME §1.1',
    behavior:
      'Which action a failure escalates to follows from policy, classes and attempt alone; a class of a gate only stops.',
  },
  'runtime.1.1.issue-context-order': {
    clause: 'HARNESS-RUNTIME §1.1',
    behavior:
      'The issue a failure is about is that of the environment, else of the session, else the only ready one.',
  },
  'runtime.1.2.relocation': {
    clause: 'HARNESS-RUNTIME §1.2',
    behavior:
      'Work that names another location goes by transport and the check there, in that order, and is refused with a class until both have accepted.',
  },
  'runtime.1.no-authority': {
    clause: 'HARNESS-RUNTIME §1, TUSK-HARNESS-CONTRACT §1',
    behavior:
      'Session, ledger and trajectory tell; issue memory decides. Without them the same work is offered, claimed and closed.',
  },
  'runtime.2.session-artifact': {
    clause: 'HARNESS-RUNTIME §2',
    behavior:
      'The session is .premath/harness_session.json, of the kind premath.harness.session.v1.',
  },
  'runtime.2.ledger-artifact': {
    clause: 'HARNESS-RUNTIME §2',
    behavior:
      'The feature ledger is .premath/harness_feature_ledger.json, of the kind premath.harness.feature_ledger.v1.',
  },
  'runtime.2.trajectory-artifact': {
    clause: 'HARNESS-RUNTIME §2',
    behavior:
      'The trajectory is .premath/harness_trajectory.jsonl, of rows of the kind premath.harness.step.v1.',
  },
  'runtime.2.session-commands': {
    clause: 'HARNESS-RUNTIME §2',
    behavior: 'There are premath harness-session read, write and bootstrap.',
  },
  'runtime.2.feature-commands': {
    clause: 'HARNESS-RUNTIME §2',
    behavior: 'There are premath harness-feature read, write, check and next.',
  },
  'runtime.2.trajectory-commands': {
    clause: 'HARNESS-RUNTIME §2',
    behavior: 'There are premath harness-trajectory append and query.',
  },
  'runtime.2.loop-commands': {
    clause: 'HARNESS-RUNTIME §2',
    behavior:
      'A worker loop and a coordinator loop can be started by the names the contract gives them.',
  },
  'runtime.3.1.roots': {
    clause: 'HARNESS-RUNTIME §3.1',
    behavior: 'A start names the four memory roots and whether each is there.',
  },
  'runtime.3.1.observation': {
    clause: 'HARNESS-RUNTIME §3.1, TUSK-HARNESS-CONTRACT §3.1',
    behavior:
      'A start shows the attention of artifacts/observation/latest.json; no surface changes its verdict or its target.',
  },
  'runtime.3.1.diagnostics': {
    clause: 'HARNESS-RUNTIME §3.1',
    behavior: 'A circle among active issues stops the start before anything is claimed.',
  },
  'runtime.3.1.handoff': {
    clause: 'HARNESS-RUNTIME §3.1',
    behavior: 'A start loads the last handoff, opens its refs and computes their digests again.',
  },
  'runtime.3.1.target': {
    clause: 'HARNESS-RUNTIME §3.1',
    behavior: 'A start computes the next target from the issue graph and the policy in force.',
  },
  'runtime.3.1.startup': {
    clause: 'HARNESS-RUNTIME §3.1',
    behavior:
      'Startup verification runs before anything changes, and stops the start when it fails.',
  },
  'runtime.3.2.one-item': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'A step claims one issue.',
  },
  'runtime.3.2.tool-use': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'What became of each tool result is judged from normalized evidence.',
  },
  'runtime.3.2.state-views': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'The turn of a step carries its state view and its queue, each bound by digest.',
  },
  'runtime.3.2.join-closed': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'Every turn of a step has to be closed before its issue changes.',
  },
  'runtime.3.2.provenance': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior:
      'Where the registry claims the governance profile, a step without pinned provenance changes nothing.',
  },
  'runtime.3.2.mutation-ready': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'An issue changes only under a proof that the gate or the policy gave.',
  },
  'runtime.3.2.decomposition': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'Fan-out is admitted by the decomposition policy before workers are dispatched.',
  },
  'runtime.3.2.instruction-mediated': {
    clause: 'HARNESS-RUNTIME §3.2, TUSK-HARNESS-CONTRACT §3.2',
    behavior: 'An agent changes issues through an accepted instruction.',
  },
  'runtime.3.2.relocation': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior:
      'What is to go on somewhere else is handed over in the same bytes, and never counted as verified without evidence from there.',
  },
  'runtime.3.2.verify-before': {
    clause: 'HARNESS-RUNTIME §3.2, TUSK-HARNESS-CONTRACT §3.2',
    behavior: 'The work is verified before its issue changes.',
  },
  'runtime.3.2.verify-after': {
    clause: 'HARNESS-RUNTIME §3.2, TUSK-HARNESS-CONTRACT §3.2',
    behavior: 'The result of a change is read back from issue memory and reported.',
  },
  'runtime.3.2.witness-refs': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'A step reports its work by typed refs that can be opened.',
  },
  'runtime.3.2.fail-closed': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior: 'A gate that says no is recorded with classes and refs, and nothing changes.',
  },
  'runtime.3.3.handoff': {
    clause: 'HARNESS-RUNTIME §3.3',
    behavior: 'A stop leaves what the next context needs in the session.',
  },
  'runtime.3.3.lease': {
    clause: 'HARNESS-RUNTIME §3.3',
    behavior: 'A stop gives the lease back, or keeps it for another term, by rule.',
  },
  'runtime.3.3.row': {
    clause: 'HARNESS-RUNTIME §3.3',
    behavior: 'A stop appends a row with issue, outcome, lease and lineage refs and the next step.',
  },
  'runtime.4.session-fields': {
    clause: 'HARNESS-RUNTIME §4',
    behavior: 'A session has schema, kind, id, state, start and last update, in RFC 3339 times.',
  },
  'runtime.4.optional-fields': {
    clause: 'HARNESS-RUNTIME §4',
    behavior:
      'A session may name its issue, summary, next step, refs, end, issue memory and how that stood.',
  },
  'runtime.4.keeps-id': {
    clause: 'HARNESS-RUNTIME §4',
    behavior: 'A session that is changed keeps its id, unless another one is given.',
  },
  'runtime.4.keeps-start': {
    clause: 'HARNESS-RUNTIME §4',
    behavior: 'A session that is changed keeps its start and renews its last update.',
  },
  'runtime.4.refs-normal': {
    clause: 'HARNESS-RUNTIME §4',
    behavior: 'Refs are trimmed, sorted and there once.',
  },
  'runtime.4.blank-absent': {
    clause: 'HARNESS-RUNTIME §4',
    behavior: 'An optional text that is blank is as good as absent.',
  },
  'runtime.4.bootstrap-kind': {
    clause: 'HARNESS-RUNTIME §4',
    behavior: 'The bootstrap of a fresh context is of the kind premath.harness.bootstrap.v1.',
  },
  'runtime.4.bootstrap-mode': {
    clause: 'HARNESS-RUNTIME §4',
    behavior: 'A session that was stopped is resumed; one that is active is attached to.',
  },
  'runtime.5.one-row': {
    clause: 'HARNESS-RUNTIME §5',
    behavior: 'A feature has one row.',
  },
  'runtime.5.status-domain': {
    clause: 'HARNESS-RUNTIME §5',
    behavior: 'A feature is pending, in_progress, blocked or completed, and nothing else.',
  },
  'runtime.5.one-in-progress': {
    clause: 'HARNESS-RUNTIME §5',
    behavior: 'At most one feature is in progress.',
  },
  'runtime.5.completed-verified': {
    clause: 'HARNESS-RUNTIME §5',
    behavior: 'A completed feature names what verified it.',
  },
  'runtime.5.next-feature': {
    clause: 'HARNESS-RUNTIME §5',
    behavior: 'Next is the smallest id in progress, else the smallest pending, else nothing.',
  },
  'runtime.5.bootstrap-projection': {
    clause: 'HARNESS-RUNTIME §5',
    behavior: 'A start gets the next feature, whether all are completed, and how many there are.',
  },
  'runtime.6.row-members': {
    clause: 'HARNESS-RUNTIME §6',
    behavior:
      'A row has schema, kind, step, action, result class and the time it finished; a line that lacks one is no row.',
  },
  'runtime.6.projection-kind': {
    clause: 'HARNESS-RUNTIME §6',
    behavior: 'A projection is of the kind premath.harness.trajectory.projection.v1.',
  },
  'runtime.6.projection-modes': {
    clause: 'HARNESS-RUNTIME §6',
    behavior: 'A projection is of the latest steps, of those that failed, or of those to retry.',
  },
  'runtime.6.projection-order': {
    clause: 'HARNESS-RUNTIME §6',
    behavior: 'A projection has the newest first, by instant, then by step and by action.',
  },
  'runtime.6.append-only': {
    clause: 'HARNESS-RUNTIME §6',
    behavior: 'A row is added to the trajectory in one write, and no row is ever changed.',
  },
  'runtime.7.loop-shape': {
    clause: 'HARNESS-RUNTIME §7',
    behavior:
      'The loop takes what is ready, claims, works, verifies, and closes the issue or gives it back.',
  },
  'runtime.7.sorted-dispatch': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'A coordinator sends workers in the order of the paths of their worktrees.',
  },
  'runtime.7.diagnostics-each-pass': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'Before each pass active issues are looked at for a circle; one ends the run.',
  },
  'runtime.7.ready-each-round': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'What is ready is read anew in each round, so that what came to be ready is taken.',
  },
  'runtime.7.claim': {
    clause: 'HARNESS-RUNTIME §7',
    behavior:
      'A worker claims under a lease that issue and worker name, and no two have one issue.',
  },
  'runtime.7.session-and-feature': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'Each worker tells what it does in a session and a feature ledger of its own.',
  },
  'runtime.7.lineage': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'Session and trajectory name the lineage of a step, the same for the same place.',
  },
  'runtime.7.work-and-verify': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'The work command and then the verify command run, and both have to pass.',
  },
  'runtime.7.handoff-from-memory': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'What is to be done about a lease follows from issue memory as it is then.',
  },
  'runtime.7.lease-witness': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'Each row carries a ref to how its lease ended, the same for the same end.',
  },
  'runtime.7.stop-handoff': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'A worker that ends, or is asked to, leaves a stopped session for the next.',
  },
  'runtime.7.projections-no-authority': {
    clause: 'HARNESS-RUNTIME §7',
    behavior: 'Sessions, ledgers and trajectory decide nothing of what a loop does.',
  },
  'runtime.8.no-parallel-ids': {
    clause: 'HARNESS-RUNTIME §8',
    behavior:
      'Each operation has one id: that of the contracts where they name its job, and otherwise its own.',
  },
  'runtime.8.routes': {
    clause: 'HARNESS-RUNTIME §8',
    behavior:
      'Every route leads to one operation, and premath doctrine-check finds one that does not.',
  },
  'runtime.8.transport-chain': {
    clause: 'HARNESS-RUNTIME §8',
    behavior:
      'Work that moves to another world goes through transport and the checks there, in one chain.',
  },
  'runtime.8.one-authority': {
    clause: 'HARNESS-RUNTIME §8',
    behavior:
      'What is done elsewhere comes back by the same steps and the same door; there is no other authority.',
  },
  'runtime.9.hygiene': {
    clause: 'HARNESS-RUNTIME §9',
    behavior:
      'ci-hygiene-check finds what git must not track, what it must ignore, and what the check of the issue graph finds.',
  },
  'runtime.9.docs-coherence': {
    clause: 'HARNESS-RUNTIME §9',
    behavior:
      'docs-coherence-check finds commands, flags, kinds, links and specs that a page names and that do not exist.',
  },
  'runtime.9.doctrine': {
    clause: 'HARNESS-RUNTIME §9',
    behavior:
      'doctrine-check finds operations, tools, host functions, pages and claims that do not agree.',
  },

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
    behavior: 'premath issue-graph-check checks the issue graph.',
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

  // TUSK-HARNESS-CONTRACT
  'tusk.3.1.boot': {
    clause: 'TUSK-HARNESS-CONTRACT §3.1',
    behavior: 'Boot resolves roots, checks the graph, loads the handoff, and says what comes next.',
  },
  'tusk.3.2.step': {
    clause: 'TUSK-HARNESS-CONTRACT §3.2',
    behavior: 'A step claims one item, verifies before and after, and leaves typed refs.',
  },
  'tusk.3.3.stop': {
    clause: 'TUSK-HARNESS-CONTRACT §3.3',
    behavior: 'A stop leaves a handoff, settles the lease and appends a row.',
  },
  'tusk.4.restart': {
    clause: 'TUSK-HARNESS-CONTRACT §4',
    behavior: 'Killed at any moment, a step is finished or undone from files by the next start.',
  },
  'tusk.4.bounded': {
    clause: 'TUSK-HARNESS-CONTRACT §4',
    behavior: 'The bootstrap of a fresh context has a fixed size, however much there is to report.',
  },
  'tusk.4.sub-agents': {
    clause: 'TUSK-HARNESS-CONTRACT §4',
    behavior: 'Work that a step came upon becomes an issue that is linked to its parent.',
  },
  'tusk.5.verification-classes': {
    clause: 'TUSK-HARNESS-CONTRACT §5',
    behavior: 'A failure is semantic, of the wiring, or flaky, by how the command ended.',
  },
  'tusk.5.max-attempts': {
    clause: 'TUSK-HARNESS-CONTRACT §5',
    behavior: 'Each class of failure has so many attempts, and no more.',
  },
  'tusk.5.backoff': {
    clause: 'TUSK-HARNESS-CONTRACT §5',
    behavior: 'Each attempt waits as long as the backoff class says, and really waits.',
  },
  'tusk.5.escalation-path': {
    clause: 'TUSK-HARNESS-CONTRACT §5',
    behavior:
      'When no attempt is left an issue is added, the active one is marked blocked, or the agent stops.',
  },
  'tusk.5.no-silent-pass': {
    clause: 'TUSK-HARNESS-CONTRACT §5',
    behavior: 'A failure that nothing is known of stops; none passes for a success.',
  },
  'tusk.6.one-record': {
    clause: 'TUSK-HARNESS-CONTRACT §6',
    behavior: 'A step is one record.',
  },
  'tusk.6.references': {
    clause: 'TUSK-HARNESS-CONTRACT §6',
    behavior: 'A record refers to witnesses and holds no payloads.',
  },
  'tusk.6.typed-metadata': {
    clause: 'TUSK-HARNESS-CONTRACT §6',
    behavior:
      'A record can say attempt, durations, commands with exit codes and digests, and what its turns came to: enough to refine a policy by.',
  },
  'tusk.6.replay': {
    clause: 'TUSK-HARNESS-CONTRACT §6',
    behavior: 'Reading the records again gives the same answers, whatever became of the index.',
  },
  'tusk.6.clustering': {
    clause: 'TUSK-HARNESS-CONTRACT §6',
    behavior: 'Failures are gathered by class, by that of the turn where a turn was refused.',
  },
  'tusk.6.not-authority': {
    clause: 'TUSK-HARNESS-CONTRACT §6',
    behavior: 'Records change nothing in issue memory.',
  },
  'tusk.9.issue-context': {
    clause: 'TUSK-HARNESS-CONTRACT §9',
    behavior: 'If the issue of a failure is ambiguous, nothing changes.',
  },
  'tusk.11.continuity': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'What one context leaves when it stops, another one has when it starts.',
  },
  'tusk.11.names-authority': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'A session names issues, instructions and witnesses, and holds none of them.',
  },
  'tusk.11.no-authority': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'Writing sessions and ledgers changes nothing about issues, and claims none.',
  },
  'tusk.11.canonical-artifact': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior:
      'The session is at its path, of its kind and schema, with the fields that are required.',
  },
  'tusk.11.stopped-at': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'A session says when it was stopped exactly while it is stopped.',
  },
  'tusk.11.snapshot-ref': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior:
      'The snapshot ref of a session is that of issue memory, and absent where memory cannot be read.',
  },
  'tusk.11.snapshot-stable': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'Issue memory that did not change has the same snapshot ref.',
  },
  'tusk.11.commands': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'premath harness-session write, read and bootstrap take --path, --state and --json.',
  },
  'tusk.11.bootstrap': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'A start gets its mode, and the features if there is a ledger.',
  },
  'tusk.11.update-in-place': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'A session that is changed keeps its id and start and renews its last update.',
  },
  'tusk.11.blank-absent': {
    clause: 'TUSK-HARNESS-CONTRACT §11',
    behavior: 'An optional text of spaces is not written.',
  },

  'tusk.12.one-row-a-step': {
    clause: 'TUSK-HARNESS-CONTRACT §12',
    behavior: 'Each step that is appended is one row, however many processes append at once.',
  },
  'tusk.12.row': {
    clause: 'TUSK-HARNESS-CONTRACT §12',
    behavior:
      'Rows are in .premath/harness_trajectory.jsonl, of one kind and one order of members.',
  },
  'tusk.12.normal-form': {
    clause: 'TUSK-HARNESS-CONTRACT §12',
    behavior: 'Refs are trimmed, sorted and each once; empty values are left out.',
  },
  'tusk.12.bad-times': {
    clause: 'TUSK-HARNESS-CONTRACT §12',
    behavior: 'A time that is no RFC 3339 time is refused.',
  },
  'tusk.12.projection': {
    clause: 'TUSK-HARNESS-CONTRACT §12',
    behavior: 'An answer counts all rows, those that failed and those to retry, beside its items.',
  },
  'tusk.12.commands': {
    clause: 'TUSK-HARNESS-CONTRACT §12',
    behavior: 'premath harness-trajectory append and query take and answer what was recorded.',
  },
  'tusk.13.formula': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior: 'The KPI is work completed a worker and day, times the share of steps that passed.',
  },
  'tusk.13.window': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior: 'Rows count by the time they finished, in a window that the rows alone decide.',
  },
  'tusk.13.decision': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior: 'The KPI and the thresholds give one of pass, watch, rollback, insufficient_data.',
  },
  'tusk.13.thresholds': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior: 'Target 0.8, rollback 0.4 and 3 rows by default; a rollback is a no.',
  },
  'tusk.13.report': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior: 'premath harness-kpi prints one report for the same rows, and counts every worker.',
  },
  'tusk.13.pause': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior:
      'A rollback pauses taking on more workers until a remediation is recorded; then only later steps count.',
  },
  'tusk.13.boundary': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior: 'A report changes no verdict and nothing in issue memory.',
  },
  'tusk.13.observation-boundary': {
    clause: 'TUSK-HARNESS-CONTRACT §13',
    behavior:
      'The observation surface, with the KPI in it, is evidence: to build it and to ask it changes no issue, session or trajectory.',
  },
  'tusk.7.observation': {
    clause: 'TUSK-HARNESS-CONTRACT §7',
    behavior:
      'The observation surface is artifacts/observation/latest.json, of the kind ci.observation.surface.v0.',
  },
  'tusk.14.2.observe': {
    clause: 'TUSK-HARNESS-CONTRACT §14.2',
    behavior: 'premath observe answers latest, needs_attention, instruction and projection.',
  },

  'tusk.14.no-shell': {
    clause: 'TUSK-HARNESS-CONTRACT §14',
    behavior: 'Host functions are the only effects of a program; shell and network are denied.',
  },
  'tusk.14.instruction-linked': {
    clause: 'TUSK-HARNESS-CONTRACT §14',
    behavior:
      'A host function that changes something needs an accepted instruction, judged before the call.',
  },
  'tusk.14.1.envelope': {
    clause: 'TUSK-HARNESS-CONTRACT §14.1',
    behavior: 'Each call of a host function is one effect with digest, class, refs and binding.',
  },
  'tusk.14.2.families': {
    clause: 'TUSK-HARNESS-CONTRACT §14.2',
    behavior: 'A host function answers as its command does.',
  },
  'tusk.14.3.work-proposes': {
    clause: 'TUSK-HARNESS-CONTRACT §14.3',
    behavior: 'A program in the work of a step changes no issue; verify and close stay outside.',
  },
  'tusk.14.3.program-as-work': {
    clause: 'TUSK-HARNESS-CONTRACT §14.3',
    behavior:
      'A worker runs one program as its work; its effects are recorded, and the harness verifies and closes.',
  },
  'tusk.14.3.program-proposes': {
    clause: 'TUSK-HARNESS-CONTRACT §14.3',
    behavior:
      'A program that is the work of a step reads and asks; other host functions are refused.',
  },
  'tusk.14.3.program-ends': {
    clause: 'TUSK-HARNESS-CONTRACT §14.3',
    behavior: 'A program that is the work of a step ends by its budget, as failed work.',
  },
  'tusk.14.3.own-instruction': {
    clause: 'TUSK-HARNESS-CONTRACT §14.3',
    behavior: 'A program that is the work of a step runs the checks of its own instruction only.',
  },
  'tusk.14.4.replay': {
    clause: 'TUSK-HARNESS-CONTRACT §14.4',
    behavior: 'A program replays against its recorded effects, and the first difference is named.',
  },
  'scheme.1.budgets': {
    clause: 'Surfaces, Every program ends',
    behavior: 'A program is stopped by a budget, which it cannot catch.',
  },
  'scheme.2.deterministic': {
    clause: 'Surfaces, Every program ends',
    behavior: 'The same program takes the same steps and memory each time.',
  },

  // SPEC-HARNESS-CONTRACT, its headings counted from 1
  'spec.1.shared-parts': {
    clause: 'SPEC-HARNESS-CONTRACT, Dispatch',
    behavior:
      'Cases of every type go the same way: one builds the context, one resolves subjects, one judges.',
  },
  'spec.1.dispatch': {
    clause: 'SPEC-HARNESS-CONTRACT, Dispatch',
    behavior: 'A case runs as its type says; with an unknown type nothing runs.',
  },
  'spec.2.entrypoint': {
    clause: 'SPEC-HARNESS-CONTRACT, Entrypoint',
    behavior: 'A cli.run case names its entrypoint itself; without one nothing runs.',
  },
  'spec.2.fixtures': {
    clause: 'SPEC-HARNESS-CONTRACT, Entrypoint',
    behavior: 'Portable cli.run fixtures name their entrypoint.',
  },
  'spec.2.safe-mode': {
    clause: 'SPEC-HARNESS-CONTRACT, Entrypoint',
    behavior: 'In safe mode a case with a hook fails before anything of it runs.',
  },
  'spec.2.env-allowlist': {
    clause: 'SPEC-HARNESS-CONTRACT, Entrypoint',
    behavior: 'With an allow-list a command inherits only the variables it names.',
  },
  'spec.3.cli-targets': {
    clause: 'SPEC-HARNESS-CONTRACT, Canonical Targets',
    behavior:
      'A cli.run case offers stdout, stderr, stdout_path, stdout_path_text and context_json.',
  },
  'spec.3.http-targets': {
    clause: 'SPEC-HARNESS-CONTRACT, Canonical Targets',
    behavior:
      'An api.http case offers status, headers, body_text, body_json, cors_json, steps_json and context_json.',
  },
  'spec.3.http-mode': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior:
      'Without live mode no request leaves the machine: a network address is refused before anything runs.',
  },
  'spec.3.http-steps': {
    clause: 'SPEC-HARNESS-CONTRACT, OAuth behavior',
    behavior:
      'A request of a scenario uses the results of earlier ones in url, header values and body; an unknown one is refused.',
  },
  'spec.3.http-fail-fast': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior: 'A scenario ends at its first failure, unless fail_fast is false.',
  },
  'spec.3.text-file-targets': {
    clause: 'SPEC-HARNESS-CONTRACT, Canonical Targets',
    behavior: 'A text.file case offers text and context_json.',
  },
  'spec.3.docs-targets': {
    clause: 'SPEC-HARNESS-CONTRACT, Canonical Targets',
    behavior: 'A docs.generate case offers result_json, output_text and context_json.',
  },
  'spec.3.orchestration-targets': {
    clause: 'SPEC-HARNESS-CONTRACT, Canonical Targets',
    behavior:
      'An orchestration.run case offers result_json, stdout, stderr, exit_code and context_json.',
  },
  'spec.3.chain-defaults': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior:
      'A chain ends at its first failure, unless fail_fast is false or the step may be passed over.',
  },
  'spec.3.chain-exports': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior:
      'An export is taken from a target, by a path of keys and indices; one that must be there and is not fails.',
  },
  'spec.3.chain-templates': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior: 'What a chain exported is filled into the texts of the case that asked for it.',
  },
  'spec.3.chain-http': {
    clause: 'SPEC-HARNESS-CONTRACT, State interpolation',
    behavior: 'What a chain exported is filled into url, header values and body of a request.',
  },
  'spec.3.chain-shape': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior:
      'A chain has at least one step, each with an id of its own and a ref; exports name their target.',
  },
  'spec.3.chain-refs': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior:
      'A ref names a case of this document, a case of another, or all cases of another in their order.',
  },
  'spec.3.chain-relative': {
    clause: 'SPEC-HARNESS-CONTRACT, Reference resolution',
    behavior: 'A relative path of a ref starts at the folder of its document.',
  },
  'spec.3.chain-quotes': {
    clause: 'SPEC-HARNESS-CONTRACT, Reference resolution',
    behavior: 'A ref that YAML reads as a comment is refused, with how to write it.',
  },
  'spec.3.chain-self': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior: 'A case whose chain names itself is refused.',
  },
  'spec.3.chain-cycle': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior:
      'Chains that lead back to a case before it has run are refused, however long the way.',
  },
  'spec.3.chain-reentry': {
    clause: 'SPEC-HARNESS-CONTRACT, Cycle and recursion safety',
    behavior: 'No case of a cycle runs, so none is entered again.',
  },
  'spec.3.includes-only': {
    clause: 'SPEC-HARNESS-CONTRACT, Cross-spec chaining profile',
    behavior: 'Included documents give definitions; their cases do not run.',
  },
  'spec.3.cors': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior:
      'A request states its origin or asks as a preflight, and cors_json shows what the answer allows in one shape.',
  },
  'spec.3.oauth-grant': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior: 'The only grant is client_credentials; the styles are basic and body.',
  },
  'spec.3.oauth-required': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior: 'The address of the token server and the variables of both credentials are required.',
  },
  'spec.3.oauth-defaults': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior: 'Without other keys: basic, access_token, expires_in, and 30 seconds before the end.',
  },
  'spec.3.oauth-request': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior:
      'A token is asked for with scope and audience, with the credentials in a header or in the body.',
  },
  'spec.3.oauth-lifetime': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior: 'Token and lifetime are read from the named fields, and a token is renewed in time.',
  },
  'spec.3.oauth-env': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior:
      'Credentials come from environment variables; a missing variable or an inline secret is refused.',
  },
  'spec.3.oauth-bearer': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior:
      'A token goes with a request as Bearer, unless the request sets Authorization; another origin never sees it.',
  },
  'spec.3.oauth-redaction': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior: 'No output and no context of a case contains a secret or a token.',
  },
  'spec.3.http-setup': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior:
      'A set-up command runs before the requests and a teardown command after them, whatever happened.',
  },
  'spec.3.http-ready-probe': {
    clause: 'SPEC-HARNESS-CONTRACT, api.http auth/runtime profile',
    behavior: 'A service is asked until it answers with an expected status, or the time is over.',
  },
  'spec.4.json-subjects': {
    clause: 'SPEC-HARNESS-CONTRACT, Subject-Driven Assertion Contract',
    behavior: 'A subject is a JSON value; what is known beside it comes in an envelope.',
  },
  'spec.4.sugar': {
    clause: 'SPEC-HARNESS-CONTRACT, Subject-Driven Assertion Contract',
    behavior: 'contain, regex, json_type and exists stand for expressions.',
  },
  'spec.4.availability': {
    clause: 'SPEC-HARNESS-CONTRACT, Subject-Driven Assertion Contract',
    behavior: 'An assertion on a subject that is missing fails; others are not affected.',
  },
  'spec.4.evaluator': {
    clause: 'SPEC-HARNESS-CONTRACT, Subject-Driven Assertion Contract',
    behavior: 'Every verdict is that of the evaluator, the one on an exit code too.',
  },
  'spec.5.includes': {
    clause: 'SPEC-HARNESS-CONTRACT, Spec-Lang Reuse',
    behavior: 'Includes bring in the functions of library documents.',
  },
  'spec.5.exports': {
    clause: 'SPEC-HARNESS-CONTRACT, Spec-Lang Reuse',
    behavior: 'Exports limit which of them are seen.',
  },
  'spec.5.imports': {
    clause: 'SPEC-HARNESS-CONTRACT, Spec-Lang Reuse',
    behavior: 'Imports give builtins other names, in this case alone.',
  },
  'spec.6.registry': {
    clause: 'SPEC-HARNESS-CONTRACT, Orchestration Tooling',
    behavior: 'A tool runs as the registry of its implementation declares it, or not at all.',
  },
  'spec.6.deep-dot': {
    clause: 'SPEC-HARNESS-CONTRACT, Orchestration Tooling',
    behavior: 'The effect of a tool is named ops.<segment>.<segment>, with two segments at least.',
  },
  'spec.6.legacy': {
    clause: 'SPEC-HARNESS-CONTRACT, Orchestration Tooling',
    behavior: 'The legacy names of effects are refused.',
  },
  'spec.6.capability': {
    clause: 'SPEC-HARNESS-CONTRACT, Orchestration Tooling',
    behavior: 'A case calls only tools whose capability it grants.',
  },
  'spec.7.surface': {
    clause: 'SPEC-HARNESS-CONTRACT, Docs Generation Harness',
    behavior: 'A docs.generate case generates a surface as the registry declares it, or nothing.',
  },
  'spec.7.output-mode': {
    clause: 'SPEC-HARNESS-CONTRACT, Docs Generation Harness',
    behavior: 'A case says whether it generates a whole file or the part between two markers.',
  },
  'spec.7.markers': {
    clause: 'SPEC-HARNESS-CONTRACT, Docs Generation Harness',
    behavior: 'With markers nothing outside of them is written.',
  },
  'spec.7.moustache': {
    clause: 'SPEC-HARNESS-CONTRACT, Docs Generation Harness',
    behavior:
      'Templates have values, sections and inverted sections, keep their white space, and nothing else.',
  },
  'spec.7.sources': {
    clause: 'SPEC-HARNESS-CONTRACT, Docs Generation Harness',
    behavior:
      'The data comes from JSON, YAML and generated files and from commands, each of them declared.',
  },
  'spec.8.docs-paths': {
    clause: 'SPEC-HARNESS-CONTRACT, Path Safety',
    behavior: 'Generated files lie in the contract root, and no link leads out of it.',
  },
  'spec.8.setup-files': {
    clause: 'SPEC-HARNESS-CONTRACT, Path Safety',
    behavior: 'The path of a setup file is relative and stays in the temporary folder.',
  },
  'spec.8.virtual-root': {
    clause: 'SPEC-HARNESS-CONTRACT, Path Safety',
    behavior: 'A path in a spec begins at the contract root, with a slash or without.',
  },
  'spec.8.text-file-path': {
    clause: 'SPEC-HARNESS-CONTRACT, Path Safety',
    behavior:
      'The path of a text.file stays in the contract root, also where links lead out of it.',
  },
  'spec.8.external-refs': {
    clause: 'SPEC-HARNESS-CONTRACT, Path Safety',
    behavior: 'An external reference is denied unless capability and policy of the case allow it.',
  },
  'spec.9.hooks': {
    clause: 'SPEC-HARNESS-CONTRACT, Trust Model',
    behavior: 'Hooks run as commands, with the rights of whoever runs the specs.',
  },
  'spec.9.trust': {
    clause: 'SPEC-HARNESS-CONTRACT, Trust Model',
    behavior:
      'Help and security notes say that specs are trusted, and that commands may see the environment.',
  },

  // docs/decisions, landing
  'git.1.explicit-folder': {
    clause: 'Landing, Git is told its folder',
    behavior:
      'Work that replaces the .git of its worktree changes neither what premath reads nor what lands.',
  },
  'git.2.no-replace': {
    clause: 'Landing, Git is told its folder',
    behavior: 'Replacements and grafts of objects have no say in a landing.',
  },
  'git.4.index-writers': {
    clause: 'Landing, Git is told its folder',
    behavior: 'Commands of git that write an index run no filter either.',
  },
  'git.3.recorded-folder': {
    clause: 'Landing, Git is told its folder',
    behavior:
      'Each call of git in a worktree uses the folders that the repository of the project records for it.',
  },

  'landing.27.work': {
    clause: 'Landing, Files of the work are not in its way',
    behavior:
      'A worktree from whose files the work was taken follows its landing, and edits made since then stay.',
  },
  'landing.27.work-kept': {
    clause: 'Landing, Files of the work are not in its way',
    behavior:
      'A landing that is refused or killed leaves the files of the work as they are in that worktree.',
  },

  // docs/decisions/proofs.md
  'proofs.1.closed-has-proof': {
    clause: 'Proofs, A closed issue has a proof',
    behavior:
      'A closed issue without proof fails verify and doctor, unless it was imported closed and was never open here.',
  },
  'proofs.2.forced': {
    clause: 'Proofs, A close by force is not verified',
    behavior: 'Verification rejects a close by force unless it is told to accept it.',
  },
  'proofs.3.rerun': {
    clause: 'Proofs, A rerun is judged by the commit before the work',
    behavior:
      'A rerun takes verify command and specs from the commit before the work, and fails for a commit that is not the work of the issue.',
  },
  'proofs.4.attestation': {
    clause: 'Proofs, Attestations are for other tools',
    behavior:
      'A statement names the commit that landed, and each of its digests is of bytes that exist.',
  },
  'proofs.5.signing': {
    clause: 'Proofs, A signature needs a person or a key of CI',
    behavior:
      'The key of a person signs what the person confirms at a terminal; without one only another key that is named signs; no agent does.',
  },

  // docs/decisions/steps.md
  'linkage.1.snapshot': {
    clause: 'Steps, Sessions of steps name the end of the log',
    behavior: 'A session that a step or a loop wrote names the issue memory of that moment.',
  },
  'linkage.2.instruction': {
    clause: 'HARNESS-RUNTIME §3.3, §4 and §6',
    behavior:
      'Row, session and ledger row of a step and of a stop name the instruction under which they were made.',
  },
  'linkage.3.target': {
    clause: 'HARNESS-RUNTIME §3.1',
    behavior:
      'A start names the first ready issue that its worker may claim under the policy, and lists those passed over with their class.',
  },
  'linkage.4.reread': {
    clause: 'HARNESS-RUNTIME §3.2',
    behavior:
      'After a close, row, fence, dependencies, chain and landed tree are read from the disk again; the row names the reading, and another value is an integrity fault.',
  },
  'linkage.5.stop': {
    clause: 'TUSK-HARNESS-CONTRACT §4',
    behavior:
      'A stop compacts issue memory, and leaves a handoff of at most 8 KB; a longer one goes to a file named by its digest, and long outputs of the last attempt are named by theirs.',
  },
  'linkage.6.feature-write': {
    clause: 'HARNESS-RUNTIME §5',
    behavior: 'A row of the feature ledger that its check would reject is refused and not written.',
  },
  'linkage.3.scope': {
    clause: 'HARNESS-RUNTIME §3.1',
    behavior:
      'Without a start-up command a start runs the verify command, or loads and lints the specs, and leaves a witness.',
  },
  'proofs.6.sandboxed-rerun': {
    clause: 'Proofs, A rerun is judged by the commit before the work',
    behavior:
      'The commands of a rerun run in the sandbox where it works; without it the rerun says so, or ends if the sandbox is required.',
  },
  'payloads.1.disabled': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.1, and HARNESS-RUNTIME §3',
    behavior:
      'Under the mode disabled no file of a step, loop or run has an output, a turn or a text of its issue; proofs verify, and a retry gets its feedback.',
  },
  'payloads.2.killed': {
    clause: 'Steps, The observability mode is in the policy',
    behavior: 'The next start removes the payloads that a killed step left.',
  },
  'payloads.3.turn': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.1',
    behavior: 'Turns of the work are not kept if one of them asks for that.',
  },
  'payloads.4.processor': {
    clause: 'TOOL-CALLING-HARNESS-TYPESTATE §4.1',
    behavior:
      'Under the mode internal_processor each payload goes to stdin of one command as a bounded JSON document, and to no file.',
  },
  'payloads.5.processor-failure': {
    clause: 'Steps, The observability mode is in the policy',
    behavior:
      'A processor that fails is reported in one line, and the payload is not kept instead; without a command no step begins.',
  },
  // docs/decisions/instructions-and-policy.md
  'authority.1.standing': {
    clause: 'Instructions, Each entry of an instruction is used once',
    behavior:
      'A standing entry allows many claims, renewals, releases or comments; an entry for an update or a close is good once.',
  },
  // docs/decisions/steps.md, Work is verified in a clean checkout
  'trust.29.attributes': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior: 'A checkout whose attributes of git differ writes every file again.',
  },
  'trust.29.neutral': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior:
      'What is verified depends on the commit, and on no setting of git about line ends or attributes.',
  },
  'trust.30.branch': {
    clause: 'Steps, What judges the work is pinned at the claim',
    behavior:
      'The target of the work of an agent is the branch that was checked out when it claimed the issue.',
  },
  'trust.31.attributes': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior: 'Work that changes the attributes of git is refused, unless its issue allows it.',
  },
  'trust.29.copy': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior: 'Without git, specs run in the copy of the files, and not in the project.',
  },
  'trust.29.outside': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior:
      'The checkout of a step lies outside of the project, where packages of the work are not found.',
  },
  'trust.29.copies': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior: 'Untracked files that the checkout gets are those before the work.',
  },
  'trust.30.settings': {
    clause: 'Landing, Issue memory is committed at the end',
    behavior: 'A policy or configuration that changed during a run is not committed, and is named.',
  },
  'trust.31.runs-tests': {
    clause: 'Steps, What judges the work is pinned at the claim',
    behavior:
      'Work that changes what runs its tests, a policy or an instruction is refused with the paths.',
  },
  // docs/decisions/proofs.md, Work proposes
  'trust.31.memory': {
    clause: 'Proofs, Work proposes',
    behavior: 'Changes of .premath by the work never land, and are named to the next attempt.',
  },
  'trust.32.ancestors': {
    clause: 'Proofs, Work proposes',
    behavior: 'A process of a step is known by its ancestors, whatever its environment says.',
  },
  'trust.32.asks': {
    clause: 'Proofs, Work proposes',
    behavior:
      'Work changes no issue under any policy. It asks, and the harness takes each request once.',
  },
  'trust.36.terminal': {
    clause: 'Processes, A pseudo-terminal stands between an agent and the terminal',
    behavior:
      'With --terminal the work has a pseudo-terminal of its own, in the sandbox too. It cannot type into the terminal of the person, which is left as it was.',
  },
  'trust.32.mailbox': {
    clause: 'Proofs, Work proposes',
    behavior: 'The harness reads plain and small files of the mailbox, and not many.',
  },

  // docs/decisions/proofs.md, Agents with a shell
  'trust.41.agents': {
    clause: 'Proofs, Agents with a shell outside of steps',
    behavior: 'A recognised agent never closes by force, sets policy or allowances, or signs.',
  },
  'trust.41.verified-close': {
    clause: 'Proofs, Agents with a shell outside of steps',
    behavior: 'premath verifies what an agent closes, and believes no witness of an earlier run.',
  },
  'trust.29.agent-close': {
    clause: 'Proofs, Agents with a shell outside of steps',
    behavior:
      'The close of an agent is verified in a clean checkout of its files, with the settings of the target and without variables of the agent.',
  },
  'trust.29.close-step': {
    clause: 'Proofs, Agents with a shell outside of steps',
    behavior:
      'A proof takes the verification of a close outside of a step only under the step id of its own fence.',
  },
  'trust.30.agent-close': {
    clause: 'Proofs, Agents with a shell outside of steps',
    behavior:
      'The commit of the target judges the close of an agent: its specs, protected paths, settings and allowances.',
  },
  'proofs.7.signed-at-birth': {
    clause: 'Proofs, Signed when it is made',
    behavior:
      'The harness signs each witness and the close as it makes them, with a key that no command gets; keys of the caller decide whose signatures count.',
  },
  'proofs.8.signed-rerun': {
    clause: 'Proofs, Signed when it is made',
    behavior: 'A rerun is signed if the key of its caller is trusted as one of CI.',
  },
  'proofs.9.trust': {
    clause: 'Proofs, Signed when it is made',
    behavior: 'A person at a terminal adds a key, and no agent does.',
  },
  // The gate at the door, and the turn that a step makes of itself
  'gate.1.refs-resolve': {
    clause: 'Gate, at the door',
    behavior:
      'A session, trajectory or use ref that names no artifact of the project refuses the mutation, with the ref in the message.',
  },
  'gate.2.state-view': {
    clause: 'Gate, derived evidence',
    behavior:
      'The state view of a step is the digest of issue, blockers, lease, policy in force and tree; its bytes are kept and checked again.',
  },
  'gate.3.reminder-queue': {
    clause: 'Gate, derived evidence',
    behavior:
      'The reminder queue of a step holds the lines of handoff, attention and feedback that it was given, each once, up to the limit of the policy.',
  },
  'gate.4.stop-policy': {
    clause: 'Gate, stop policy',
    behavior:
      'No attempt begins when the state view says that issue, lease, policy or a request is against it.',
  },
  'gate.5.error-result': {
    clause: 'HARNESS-TYPESTATE §3.2',
    behavior: 'Work that fails is an error result of its call, with code, retryable and message.',
  },
  'tusk.14.coherence-check': {
    clause: 'TUSK-HARNESS-CONTRACT §14.2',
    behavior:
      'coherence-check rejects a project in which a ref of a session, a ledger, a trajectory or a witness does not resolve or recompute.',
  },
  'gate.6.policy-in-force': {
    clause: 'Gate, turns are bound',
    behavior:
      'Turns of an agent are judged under the policy in force, and a policy can require them.',
  },
  'authority.2.override': {
    clause: 'Instructions, An override needs a terminal',
    behavior:
      'A close by force, a policy, an allowance and a signature are confirmed at a real terminal and recorded as terminal with the real user id; a step, an instruction and a known agent are refused.',
  },
  'authority.4.required-checks': {
    clause: 'Instructions, A policy requires checks',
    behavior:
      'An instruction asks for every check that its policy requires; a step under an instruction runs them, and closes nothing that they reject.',
  },
  'authority.5.run': {
    clause: 'Instructions, A run by a person is the instruction',
    behavior:
      'Where the policy demands an instruction, a run from a terminal is one, which its records name; agents, steps and scripts without an override are refused.',
  },
  'authority.7.instruction-in-force': {
    clause: 'Instructions, An instruction counts from the target',
    behavior:
      'Where the target branch has a commit, an agent acts only under an instruction that is in it, or that a person put in force.',
  },
  'authority.8.new-instruction': {
    clause: 'Instructions, A person writes one for an issue',
    behavior:
      'premath instruction new writes a valid instruction for one issue, for people only, and puts it in force at a terminal.',
  },
  'authority.6.closed-by': {
    clause: 'Instructions, An override needs a terminal',
    behavior: 'The proof of a close by force names actor and user id, and its row has to agree.',
  },
  'authority.3.script': {
    clause: 'Instructions, An override needs a terminal',
    behavior:
      'A script overrides only if the policy in the commit of the target branch says so; without a target, the one that was put in force.',
  },
  'steps.1.clean-checkout': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior: 'A verification has no file that git ignores, or that the work hid from git.',
  },
  'steps.2.fresh-index': {
    clause: 'Steps, Work is verified in a clean checkout',
    behavior: 'The index of the worktree has no say in which files are verified.',
  },
  'steps.3.pinned-documents': {
    clause: 'Steps, What judges the work is pinned at the claim',
    behavior:
      'Work that changes a document in the chains or libraries of its specs is refused, as for the specs.',
  },
  'steps.4.left-work': {
    clause: 'Steps, What judges the work is pinned at the claim',
    behavior:
      'What the work of a failed or killed step left is charged to the next work, until a person commits it.',
  },
  'steps.5.own-witness': {
    clause: 'Steps, A step is proven by its own witness',
    behavior: 'The witness of specs is that of the run that the step made, and no other.',
  },
  'resident.1.no-step': {
    clause: 'Surfaces, Warm memory',
    behavior: 'The resident process is never asked or started from inside of a step.',
  },
  'resident.2.reads-only': {
    clause: 'Surfaces, Warm memory',
    behavior: 'The resident process changes nothing: it refuses a command that writes.',
  },
  'resident.3.never-stale': {
    clause: 'Surfaces, Warm memory',
    behavior: 'An answer has every change that was made before the question.',
  },
  'resident.4.private': {
    clause: 'Surfaces, Warm memory',
    behavior: 'Only its user can reach the resident process: folder 700, socket 600, no link.',
  },
  'resident.5.mcp': {
    clause: 'Surfaces, Warm memory',
    behavior:
      'The MCP server asks the resident process what its tools read, changes issues itself, and answers alone without one.',
  },
  'surfaces.1.paths': {
    clause: 'Surfaces, A caller names no file outside of the project',
    behavior: 'A path in the arguments of a call lies in the project, links followed.',
  },
  'surfaces.2.policy': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior: 'The policy has a mode for each surface, and the one of the caller counts.',
  },
  'surfaces.3.agents': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior: 'Whoever asks over MCP is treated as an agent.',
  },
  'surfaces.5.equal-payloads': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior: 'A command, its MCP tool and its host function give equal payloads.',
  },
  'surfaces.6.equal-refusals': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior:
      'A close over a broken link is refused in the same words on the command line, over MCP and in programs.',
  },
  'surfaces.7.attacks': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior:
      'An attempt at a close that was not earned is refused over MCP and in programs as on the command line.',
  },
  'surfaces.8.projection-paths': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior:
      'Session, ledger and trajectory are not written over a file that decides, nor among the files of git.',
  },
  'surfaces.9.pipes': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior: 'A call whose argument names a pipe is refused, and holds up no other call.',
  },
  'mcp.1.one-list': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior: 'The MCP server offers exactly the operations that are exposed.',
  },
  'mcp.2.same-answer': {
    clause: 'Surfaces, Text and structured content are one value',
    behavior:
      'Text and structured content of an answer are what the command prints with --json, errors included.',
  },
  'mcp.3.instruction': {
    clause: 'TUSK-HARNESS-CONTRACT §7',
    behavior:
      'Over MCP a change needs an instruction by default, and the refusal says how a person makes one.',
  },
  'mcp.4.cancel': {
    clause: 'Surfaces, A cancelled call is a command that was interrupted',
    behavior: 'A cancelled call ends its commands, and a change that was made stays made.',
  },
  'mcp.5.evidence': {
    clause: 'TUSK-HARNESS-CONTRACT §7',
    behavior: 'The row of a change over MCP names the session and the call, where the host does.',
  },
  'mcp.6.step': {
    clause: 'Surfaces, One list of operations, and one door',
    behavior: 'A server inside a step writes requests to the mailbox, and changes nothing.',
  },
  'mcp.7.http': {
    clause: 'Surfaces, The MCP server holds no state',
    behavior:
      'A request over HTTP needs the host, the origin and the token of the server, before its body is read.',
  },
  'mcp.8.hostile': {
    clause: 'Surfaces, The MCP server holds no state',
    behavior:
      'Malformed messages do not end the server, and a client that vanishes or floods leaves no lock and no process.',
  },
  'mcp.9.progress': {
    clause: 'Surfaces, Progress is what a terminal would show',
    behavior: 'A call with a progress token is told the progress of its operation, in order.',
  },
  'mcp.10.bad-input': {
    clause: 'Surfaces, The MCP server holds no state',
    behavior:
      'Endless programs, half-written files and cyclic checks are refused by name, and the server answers the next call.',
  },
  'observe-serve.1.routes': {
    clause: 'Surfaces, The observation server only reads',
    behavior:
      'The routes of the earlier server answer as premath observe does, under both spellings.',
  },
  'observe-serve.2.gets-only': {
    clause: 'Surfaces, The observation server only reads',
    behavior: 'The observation server answers GET and HEAD alone, and writes nothing.',
  },
  'observe-serve.3.headers': {
    clause: 'Surfaces, The observation server only reads',
    behavior: 'Every answer forbids foreign scripts, frames and origins.',
  },
  'observe-serve.4.events': {
    clause: 'Surfaces, The observation server only reads',
    behavior: 'Each client of the event stream is told the surface and each change of it, once.',
  },
  'observe-serve.5.hosts': {
    clause: 'Surfaces, The observation server only reads',
    behavior: 'A request whose Host header names an unknown host is refused.',
  },
  'observe-serve.6.token': {
    clause: 'Surfaces, The observation server only reads',
    behavior:
      'A server that others can reach has a token, and asks for it on every route but /healthz.',
  },
  'observe-serve.7.port': {
    clause: 'Surfaces, The observation server only reads',
    behavior: 'A port in use is named, and exits with 3.',
  },
  'observe-serve.8.bounded': {
    clause: 'Surfaces, The observation server only reads',
    behavior:
      'Streams are bounded, and requests that are cut off, huge or noise do not end the server.',
  },
  'observe-serve.9.half-written': {
    clause: 'Surfaces, The observation server only reads',
    behavior:
      'An artifact that is half written is named, and the server recovers when it is whole.',
  },
  'mcp.11.close-queue': {
    clause: 'Surfaces, A close over MCP is queued',
    behavior:
      'issue_close takes the work, answers queued at once, and issue_show tells how far the close is.',
  },
  'mcp.12.close-failed': {
    clause: 'Surfaces, A close over MCP is queued',
    behavior:
      'A queued close that fails leaves the lease to its holder, and records class, remedy and output.',
  },
  'mcp.13.close-durable': {
    clause: 'Surfaces, A close over MCP is queued',
    behavior:
      'A queued close survives a stop and a kill of the server, and is worked off once, by a server or a command.',
  },
  'mcp.14.close-door': {
    clause: 'Surfaces, A close over MCP is queued',
    behavior:
      'Policy, instruction, lease and fence of a queued close are asked when it is queued, and again when it is worked off.',
  },
  'mcp.15.close-lands': {
    clause: 'Surfaces, A queued close lands',
    behavior:
      'The work of a queued close is verified as it would be on the target, and lands there as one commit before its issue closes.',
  },
  'mcp.16.close-stays-out': {
    clause: 'Surfaces, A queued close lands',
    behavior:
      'Work that conflicts with the target, or with files of a person, does not land, and the close names them.',
  },
  'mcp.17.close-review': {
    clause: 'Surfaces, A queued close lands',
    behavior:
      'A queued close obeys the setting land: it waits on a branch for review, or closes without a commit.',
  },
  'mcp.18.close-killed': {
    clause: 'Surfaces, A queued close lands',
    behavior:
      'After a kill while the target moves, the close lands and closes once, and the files of the agent stay.',
  },
  'mcp.19.close-lease': {
    clause: 'Surfaces, A queued close lands',
    behavior: 'Whoever verifies a close renews the lease of its holder meanwhile.',
  },
  'required.1.projection': {
    clause: 'Required checks, Projection',
    behavior:
      'The same paths and rules give the same projection, with the digests of the earlier implementation.',
  },
  'required.2.rules': {
    clause: 'Required checks, Path rules',
    behavior:
      'The rules of the project decide which checks a path requires; an unknown path requires the baseline.',
  },
  'required.3.paths': {
    clause: 'Required checks, Bad input',
    behavior: 'A path that leaves the project is refused, and nothing runs.',
  },
  'required.4.rules-file': {
    clause: 'Required checks, Bad input',
    behavior: 'Rules with an unknown check, a useless pattern or a cycle are refused and named.',
  },
  'required.5.gate': {
    clause: 'Required checks, Gate witness',
    behavior:
      'Each check has a gate witness that agrees with its exit code, its own or a made one.',
  },
  'required.6.witness': {
    clause: 'Required checks, Witness',
    behavior: 'The verdict is accepted only if every required check ran and passed.',
  },
  'required.7.verify': {
    clause: 'Required checks, Verify',
    behavior:
      'A witness that differs from what the change requires is rejected, and each difference is named.',
  },
  'required.8.decide': {
    clause: 'Required checks, Decide',
    behavior:
      'Only a witness that holds, is accepted and is about the expected change is accepted.',
  },
  'required.9.chain': {
    clause: 'Required checks, Decision',
    behavior: 'A decision holds only with the very witness and delta that it names by digest.',
  },
  'required.10.delta': {
    clause: 'Required checks, Delta',
    behavior: 'Deleted, renamed and untracked files count as changed; records of premath do not.',
  },
  'required.11.exit-codes': {
    clause: 'Required checks, Exit codes',
    behavior: 'A rejection exits with 1 and invalid input with 2, with its class on the last line.',
  },
  'required.12.artifacts': {
    clause: 'Required checks, Artifacts',
    behavior: 'The artifacts are whole, of this run, and have the digests that stand beside them.',
  },
  'required.13.run': {
    clause: 'Required checks, Run',
    behavior: 'Checks run side by side with timeouts, and a check after a failed one does not run.',
  },
  'required.14.step': {
    clause: 'Required checks, Steps',
    behavior:
      'A step verifies its work with the checks that its own changes require, and records their witness.',
  },
  'required.15.failure': {
    clause: 'Required checks, Steps',
    behavior:
      'A check that fails or cannot run fails the step by its class, and is told to the next attempt.',
  },
  'required.16.target': {
    clause: 'Required checks, Steps',
    behavior:
      'The rules of the target from before the work judge it; without them nothing is claimed, and what the checks run is protected.',
  },
  'required.17.rerun': {
    clause: 'Required checks, Steps',
    behavior:
      'A rerun runs the required checks of a landed commit by the rules of the commit before it.',
  },
  'surfaces.4.answers': {
    clause: 'Surfaces, Every operation says what it answers',
    behavior:
      'Each answer of a command fits the shape that its operation declares, without other members.',
  },
  'memory.1.rows': {
    clause: 'TRUST 39',
    behavior:
      'A file of rows that went back is merged forward by the next command, which says so in one line.',
  },
  'memory.1.record': {
    clause: 'TRUST 39',
    behavior:
      'A record of acknowledged rows that is damaged or cannot be written is reported, and not begun anew.',
  },
  'memory.1.damaged': {
    clause: 'TRUST 39',
    behavior:
      'A record of acknowledged rows that lost some of them is found by doctor, and has them again after the next change.',
  },
  'memory.1.proofs': {
    clause: 'TRUST 39',
    behavior:
      'A close whose row goes forward has its proof again, and doctor writes a proof that was removed.',
  },
  'memory.1.begun': {
    clause: 'TRUST 39',
    behavior:
      'A memory that git has, and the work tree does not, is not begun anew; a new issue with a known id goes on from its fence.',
  },
  'memory.1.fences': {
    clause: 'TRUST 39, PRODUCT 5',
    behavior:
      'A file that went back does not make a fence valid again, and none is given out twice.',
  },
  'memory.1.steps': {
    clause: 'TRUST 39',
    behavior: 'No step id is given out twice, also if git clean removed the records of the steps.',
  },
  'memory.1.commits': {
    clause: 'TRUST 39',
    behavior:
      'A row that came with a commit stands if the acknowledged one is in its history, and is merged with it otherwise.',
  },
  'memory.1.contradiction': {
    clause: 'TRUST 39',
    behavior:
      'A fence that is smaller than an earlier one in the file, the mark or the log is an integrity fault that names both places, until doctor resolves it.',
  },
  'memory.1.accept-older': {
    clause: 'TRUST 39',
    behavior:
      'A person can keep an older file with a reason; the fences of the rows that are given up go on.',
  },
  'memory.8.edits': {
    clause: 'Must show, Corruption',
    behavior:
      'A random edit of a file changes no answer in silence, doctor finds it, and the next change does not hide it.',
  },
  'memory.8.log': {
    clause: 'TRUST 39; Must show, Corruption',
    behavior: 'An event log that contradicts the rows is not continued, so doctor still finds it.',
  },
  'memory.8.mark': {
    clause: 'Must show, Corruption',
    behavior: 'A damaged high-water mark takes no newer row back.',
  },
  'memory.8.witnesses': {
    clause: 'Must show, Corruption',
    behavior: 'doctor reports a witness whose content is not what was recorded under its name.',
  },
  'memory.7.clock-lease': {
    clause: 'Must show, Jumps of the wall clock',
    behavior: 'While the clock is behind the last renewal, renewing does not shorten a lease.',
  },
  'memory.7.clock-jumps': {
    clause: 'Must show, Jumps of the wall clock',
    behavior:
      'No fence goes back, no lease is lost in silence and no duration is negative while the clock is set between and inside commands.',
  },
  'memory.7.clock-durations': {
    clause: 'Must show, Jumps of the wall clock',
    behavior: 'Setting the system clock changes no duration, timeout or budget of a process.',
  },
  'memory.7.clock-times': {
    clause: 'Must show, Jumps of the wall clock',
    behavior:
      'A change is never older than the row that it changes, and an issue is not closed before.',
  },
  'memory.3.places': {
    clause: 'PRODUCT 1, 14',
    behavior:
      'A pipe, a folder or a link to nowhere in the place of a file stops no command for ever, and doctor names it with the command that mends it.',
  },
  'memory.3.driver': {
    clause: 'PRODUCT 1, 2',
    behavior:
      'Doctor names a merge driver that this clone lacks or that cannot run, and --fix configures it.',
  },
  'memory.3.unmerged': {
    clause: 'PRODUCT 1, 14',
    behavior:
      'Every command that reads issue memory stops with 5 while git has not merged it, and names the commands that merge it again.',
  },
  'memory.3.line-ends': {
    clause: 'PRODUCT 1, 2',
    behavior: 'Doctor names translated line ends of issue memory and the commands that mend them.',
  },
  'memory.4.inventory': {
    clause: 'PRODUCT 14',
    behavior:
      'A text that tells a person to run a command has a row that runs it, or a reason why none does.',
  },
  'memory.4.remedies': {
    clause: 'PRODUCT 14',
    behavior:
      'Each command that a finding of doctor, a refusal or an error names is run by a test, and the state is right afterwards.',
  },
  'memory.3.drafts': {
    clause: 'PRODUCT 1',
    behavior:
      'doctor --fix removes every draft that a killed process left, and none of a process that runs.',
  },
  'memory.6.clusters': {
    clause: 'Size',
    behavior:
      'The failures of a trajectory are grouped by class from its index, with the answer of reading every row.',
  },
  'memory.6.graph-check': {
    clause: 'Size',
    behavior:
      'A check of the graph searches once for each issue, however many dependencies it has, and finds what a search for each edge finds.',
  },
  'memory.2.closes': {
    clause: 'PRODUCT 5, TRUST 39',
    behavior:
      'A close with a record wins over a claim that was made elsewhere; a reopening that knew it does not give way.',
  },
  'memory.2.same-issue': {
    clause: 'PRODUCT 5',
    behavior:
      'A merge recognizes an issue by its creation, whatever id it has by then, and has it once.',
  },
  'memory.2.once': {
    clause: 'Merge laws',
    behavior:
      'To merge once more changes nothing: a released lease stays released, and an older row does not replace a later one.',
  },
  'memory.2.lines': {
    clause: 'PRODUCT 5, TRUST 39',
    behavior:
      'Where somebody kept the lines of both sides of a merge, every clone has what each of them says.',
  },
  'memory.2.patches': {
    clause: 'PRODUCT 5, TRUST 39',
    behavior:
      'Where a rebase by patches puts the row of one clone after that of another one, the edges and texts of both stay, and what a command took back does not return.',
  },
  'memory.2.converge': {
    clause: 'PRODUCT 5, TRUST 39',
    behavior:
      'Clones that merge, rebase, squash, cherry-pick, stash and merge by hand come to the same rows, whichever side is ours.',
  },
  'memory.2.gave-way': {
    clause: 'PRODUCT 5',
    behavior:
      'Values that gave way in a merge are shown by issue show, doctor and prime until somebody acknowledges them.',
  },
  'memory.2.nothing-lost': {
    clause: 'PRODUCT 5, TRUST 39',
    behavior: 'No merge loses an issue, an edge or a comment, also after one that left a side out.',
  },
  'memory.6.questions': {
    clause: 'PRODUCT 2',
    behavior:
      'A list and the page of an issue come from the index and the rows that they print, and say the same as all rows.',
  },
  'memory.6.replay': {
    clause: 'PRODUCT 3',
    behavior:
      'An event log is replayed in pieces: only the rows and edges that it leads to are kept.',
  },
  'memory.6.compaction': {
    clause: 'PRODUCT 2, TRUST 39',
    behavior:
      'A compaction, also of the high-water mark, holds the live rows and one piece of the others.',
  },
  'memory.6.digest-known': {
    clause: 'PRODUCT 9',
    behavior: 'A file that has not changed since it was read is not read again for a tree digest.',
  },
  'memory.6.digest-exact': {
    clause: 'PRODUCT 9',
    behavior: 'After any change of files, the tree digest is the one that reading all files gives.',
  },
  'memory.6.digest-racy': {
    clause: 'PRODUCT 9',
    behavior: 'A file that could change without another time of its own is read each time.',
  },
  'memory.6.digest-damaged': {
    clause: 'PRODUCT 9',
    behavior: 'Digests that are damaged, or cannot be kept, change no answer.',
  },
  'memory.6.digest-once': {
    clause: 'PRODUCT 9',
    behavior: 'A close reads the tree of the project once.',
  },
  'memory.1.renewal': {
    clause: 'TRUST 39',
    behavior:
      'A renewal after the clock was set back does not end the lease before the end that was given out.',
  },
  'memory.1.far-lease': {
    clause: 'TRUST 39',
    behavior: 'The command that doctor prints for a lease far in the future releases it.',
  },
  'memory.5.import': {
    clause: 'PRODUCT 1',
    behavior:
      'An import of an endless or very large file ends with a refusal, in bounded memory, and changes nothing.',
  },
  'memory.5.trajectory': {
    clause: 'PRODUCT 1',
    behavior:
      'A trajectory that takes no row stops a step before its claim, and a close or release before it is made.',
  },
  'memory.5.descriptors': {
    clause: 'PRODUCT 1',
    behavior: 'Too few file descriptors are a failure of the environment, and no bug.',
  },
  'memory.5.proc': {
    clause: 'PRODUCT 1',
    behavior: 'Where Linux has no /proc, a step ends before its claim and says so.',
  },
  'memory.5.newer': {
    clause: 'PRODUCT 1',
    behavior: 'A document with a later version is reported as written by a newer premath.',
  },
  'memory.7.injected': {
    clause: 'TRUST 39, Must show',
    behavior:
      'Whichever file call of a command is killed at, torn, cut short or failed: no acknowledged change is lost, none is half there, and the next commands work.',
  },
  'memory.7.mark': {
    clause: 'TRUST 39, Must show',
    behavior:
      'A crash in a write of the high-water mark, or a mark that cannot be read, loses no acknowledged row.',
  },
  'memory.7.environment': {
    clause: 'TRUST 39, Must show',
    behavior:
      'A file call that fails is a failure of the environment (exit 3), never a bug, and leaves no draft.',
  },
  'memory.6.mark': {
    clause: 'PRODUCT 2, TRUST 39',
    behavior: 'While nothing went back, no command reads the rows of the high-water mark.',
  },
  'memory.5.folder': {
    clause: 'PRODUCT 1',
    behavior:
      'A project folder whose path is not UTF-8 or has a line break is refused before anything is written.',
  },
  'memory.5.case': {
    clause: 'PRODUCT 1',
    behavior:
      'Ids that differ only in case have paths of their own on every disk, and no such id is given to a new issue.',
  },
  'memory.5.worker-name': {
    clause: 'PRODUCT 1',
    behavior:
      'No worker can have a name under which premath itself holds locks and makes step ids.',
  },
}
