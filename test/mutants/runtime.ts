/** HARNESS-RUNTIME. */
import type { Mutants } from './mutant.ts'

const answers = 'src/kernel/harness/relocation/relocation-answers.ts'
const answersTest = 'src/kernel/harness/relocation/relocation-answers.test.ts'
const loopTest = 'test/harness-loop.test.ts'

/** Skips the issues that the ledger calls completed, without asking issue memory. */
const trustsLedger = `const unready = await worker.boot(options)
    for (const { issueId = '', status } of (await worker.harness.ledger.read())?.features ?? []) {
      if (status === 'completed') this.tally.setAside.add(issueId)
    }`

export const runtimeMutants: Mutants = {
  'runtime.1.1.retry-policy-digest': {
    file: 'src/kernel/harness/retry/control-policy.ts',
    find: 'if (policyDigest !== actual) {',
    replace: 'if (policyDigest.length !== actual.length) {',
    test: 'src/kernel/harness/retry/retry-policy.test.ts',
  },
  'runtime.1.1.escalation-mapping': [
    {
      file: 'src/kernel/harness/retry/retry-decision.ts',
      find: "ofGate.length > 0 ? 'stop' : rule.escalationAction",
      replace: 'rule.escalationAction',
      test: 'src/kernel/harness/retry/retry-decision.test.ts',
    },
    {
      file: 'src/kernel/harness/retry/gate-class.ts',
      find: 'families.has(familyOf(lowerAscii(trim(failureClass))))',
      replace: 'families.has(familyOf(failureClass))',
      test: 'src/kernel/harness/retry/retry-decision.test.ts',
    },
  ],
  'runtime.1.1.issue-context-order': {
    file: 'src/kernel/harness/retry/issue-context.ts',
    find: 'issueInEnv(sources.env) ?? issueInSession(sources.session)',
    replace: 'issueInSession(sources.session) ?? issueInEnv(sources.env)',
    test: 'src/kernel/harness/retry/issue-context.test.ts',
  },
  'runtime.1.2.relocation': [
    {
      file: answers,
      find: "findings: [finding('handoff.destination_evidence_missing', message)]",
      replace: "findings: message === '' ? [finding('handoff.evidence_invalid', message)] : []",
      test: answersTest,
    },
    {
      file: answers,
      find: "if (outcome['result'] === 'delivered' &&",
      replace: "if (outcome['result'] !== '' &&",
      test: answersTest,
    },
  ],
  'runtime.1.no-authority': {
    file: 'src/harness/step/claim-work.ts',
    find: 'options.issueId ?? goOn?.id',
    replace: 'options.issueId ?? goOn?.id ?? (await harness.session.read())?.issueId',
    test: 'test/hooks.test.ts',
  },
  'runtime.2.session-artifact': {
    file: 'src/kernel/harness/session.ts',
    find: "'premath.harness.session.v1'",
    replace: "'premath.harness.session.v2' as never",
    test: 'test/documents.test.ts',
  },
  'runtime.2.ledger-artifact': {
    file: 'src/kernel/harness/feature-ledger.ts',
    find: "'premath.harness.feature_ledger.v1'",
    replace: "'premath.harness.feature_ledger.v2' as never",
    test: 'test/documents.test.ts',
  },
  'runtime.2.trajectory-artifact': {
    file: 'src/kernel/harness/step/step-row.ts',
    find: "'.premath/harness_trajectory.jsonl'",
    replace: "'.premath/trajectory.jsonl'",
    test: 'test/hooks.test.ts',
  },
  'runtime.2.session-commands': {
    file: 'src/operations/index.ts',
    find: "'harness-session bootstrap'",
    replace: "'harness-session boot'",
    test: 'test/documents.test.ts',
  },
  'runtime.2.feature-commands': {
    file: 'src/operations/index.ts',
    find: "'harness-feature next'",
    replace: "'harness-feature following'",
    test: 'test/documents.test.ts',
  },
  'runtime.2.trajectory-commands': {
    file: 'src/operations/index.ts',
    find: "'harness-trajectory query'",
    replace: "'harness-trajectory ask'",
    test: 'test/hooks.test.ts',
  },
  'runtime.2.loop-commands': [
    {
      file: 'package.json',
      find: '"node dist/cli/main.cjs harness-loop worker"',
      replace: '"node dist/cli/main.cjs harness-loop coordinator"',
      test: 'test/named-commands.test.ts',
      named: 'npm run, as a worker',
    },
    {
      file: 'mise.toml',
      find: '"node dist/cli/main.cjs harness-loop coordinator"',
      replace: '"node dist/cli/main.cjs harness-loop"',
      test: 'test/named-commands.test.ts',
      named: 'mise run, as a coordinator',
    },
    {
      file: 'tools/harness/multithread_loop.py',
      find: 'COMMAND = "harness-loop"',
      replace: 'COMMAND = "harness-step"',
      test: 'test/named-commands.test.ts',
      named: 'python3, as a worker',
    },
    {
      file: 'src/operations/index.ts',
      find: "'harness-loop coordinator'",
      replace: "'harness-loop conduct'",
      test: 'test/named-commands.test.ts',
      named: 'mise run, as a coordinator',
    },
  ],
  'runtime.3.1.roots': [
    {
      file: 'src/harness/boot.ts',
      find: '(await disk.stamp(path)) !== undefined',
      replace: "(await disk.entry(path))?.kind === 'file'",
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/harness/observed-attention.ts',
      find: 'artifacts/observation/latest.json',
      replace: 'artifacts/observation.json',
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.1.diagnostics': {
    file: 'src/harness/boot.ts',
    find: 'if (!hasCycle) return []',
    replace: 'if (!hasCycle || cyclePath) return []',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.1.handoff': [
    {
      file: 'src/harness/boot.ts',
      find: "state === 'changed'",
      replace: "state === 'missing'",
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/harness/boot.ts',
      find: 'const refs = session?.witnessRefs ?? []',
      replace: 'const refs = (session?.witnessRefs ?? []).slice(0, 1)',
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.1.target': [
    {
      file: 'src/kernel/harness/next-target.ts',
      find: "if (held) return { target: targetOf(held, 'held'), passedOver: [], passedOverCount: 0 }",
      replace: '',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/harness/next-target.ts',
      find: 'const failureClass = refusalOf(offer.id) ??',
      replace: "const failureClass = refusalOf('') ??",
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/harness/next-target.ts',
      find: "offer.assignee !== '' && offer.assignee !== workerId",
      replace: "offer.title === ''",
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.1.startup': {
    file: 'src/harness/boot.ts',
    find: "...startupFlaws(harness, startup, scope?.how === 'verify'),",
    replace:
      "...startupFlaws(harness, undefined, scope?.how === 'verify' && startup !== undefined),",
    test: 'test/hooks.test.ts',
  },
  'runtime.3.2.one-item': {
    file: 'src/harness/step/claim-work.ts',
    find: 'const claimed = await claim(harness, held, options)',
    replace:
      'await claim(harness, held, options)\n  const claimed = await claim(harness, [], options)',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.2.tool-use': [
    {
      file: 'src/kernel/turn/normalize.ts',
      find: 'without(resultCallIds, usedCallIds)',
      replace: 'without(usedCallIds, usedCallIds)',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/turn/evidence/rows.ts',
      find: 'if (use.reasonCode === undefined) {',
      replace: "if (use.reasonCode === '') {",
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.2.state-views': [
    {
      file: 'src/kernel/harness/step/step-turn.ts',
      find: 'viewDigest: work.viewDigest',
      replace: 'viewDigest: policyDigest',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/harness/step/step-turn.ts',
      find: 'reducedDigest: work.queueDigest',
      replace: 'reducedDigest: policyDigest',
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.2.join-closed': {
    file: 'src/harness/step/attempt.ts',
    find: 'turnClasses: [...own.failureClasses, ...evidence.failureClasses],',
    replace: 'turnClasses: own.failureClasses,',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.2.provenance': {
    file: 'src/kernel/governance/policy-standing.ts',
    find: 'registryClaims.includes(governanceProfileId)',
    replace: 'registryClaims.length > 9',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.2.mutation-ready': [
    {
      file: 'src/project/authority/override.ts',
      find: "if (await mayScriptsOverride(project)) return { actor: 'script', uid }",
      replace: "if (uid !== undefined) return { actor: 'script', uid }",
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/harness/step/step-authority.ts',
      find: "change !== 'close' ||",
      replace: "change === 'close' ||",
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.2.decomposition': [
    {
      file: 'src/kernel/harness/run/decomposition-policy.ts',
      find: 'workers > maxFanOut',
      replace: 'workers > maxFanOut + 1',
      test: 'test/harness-loop-coordinator.test.ts',
      named: 'admits one worker',
    },
    {
      file: 'src/kernel/harness/run/decomposition-policy.ts',
      find: 'patterns === undefined || patterns.includes(pattern)',
      replace: 'patterns === undefined || patterns.length > 0',
      test: 'test/harness-loop-coordinator.test.ts',
      named: 'does not admit the pattern',
    },
    {
      file: 'src/operations/harness/loop-coordinator.ts',
      find: 'refusal ?? (await landingRun(input, plan, project))',
      replace: '(await landingRun(input, plan, project)) ?? refusal',
      test: 'test/harness-loop-coordinator.test.ts',
      named: 'admits one worker',
    },
  ],
  'runtime.3.2.instruction-mediated': [
    {
      file: 'src/kernel/authority/agent-admission.ts',
      find: 'isOf(one.action, action) && isAbout(one.issueId, targetOf(change))',
      replace: 'isOf(one.action, action)',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/authority/agent-admission.ts',
      find: '!entries.has(entry)',
      replace: 'entry >= 0',
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.2.relocation': [
    {
      file: 'src/harness/step/relocation.ts',
      find: 'return { ...none, sent: relocation,',
      replace: 'return { ...none, findings: [], sent: relocation,',
      test: 'test/harness-step.test.ts',
    },
    {
      file: 'src/harness/step/relocation.ts',
      find: 'lineageRefs: [...lineageOf(harness, issue.id)],',
      replace: 'lineageRefs: [root],',
      test: 'test/relocation.test.ts',
      named: 'is handed over in the same bytes',
    },
  ],
  'runtime.3.2.verify-before': {
    file: 'src/kernel/harness/step/step-decision.ts',
    find: '[...facts.workClasses, ...(facts.verifyClasses ?? [])]',
    replace: 'facts.workClasses',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.2.verify-after': {
    file: 'src/harness/step/step-change.ts',
    find: "(after?.status !== 'closed' || after.lease)",
    replace: 'after === undefined',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.2.witness-refs': {
    file: 'src/harness/step/commit-step.ts',
    find: '...outcome.witnessRefs,',
    replace: '',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.2.fail-closed': {
    file: 'src/kernel/harness/step/step-decision.ts',
    find: "if (gateSaidNo || decision.retry) return 'keep'",
    replace: "if (decision.retry) return 'keep'",
    test: 'test/hooks.test.ts',
  },
  'runtime.3.3.handoff': {
    file: 'src/harness/stop.ts',
    find: 'options.nextStep ?? ownNext',
    replace: 'ownNext',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.3.lease': {
    file: 'src/harness/stop.ts',
    find: 'if (!keepLease) return',
    replace: 'if (keepLease) return',
    test: 'test/hooks.test.ts',
  },
  'runtime.3.3.row': {
    file: 'src/harness/stop.ts',
    find: 'await harness.trajectory.append(row)',
    replace: '',
    test: 'test/hooks.test.ts',
  },
  'runtime.4.session-fields': [
    {
      file: 'src/kernel/harness/session.ts',
      find: 'state: write.state,',
      replace: "state: 'active',",
      test: 'src/kernel/harness/session.test.ts',
    },
    {
      file: 'src/kernel/artifact/read.ts',
      find: 'isCanonicalTimestamp(time) || instantOf(time) !== undefined',
      replace: 'isCanonicalTimestamp(time) || time.length > 0',
      test: 'src/kernel/harness/session.test.ts',
    },
  ],
  'runtime.4.optional-fields': {
    file: 'src/kernel/harness/session.ts',
    find: 'nextStep: replaced(write.nextStep, before?.nextStep),',
    replace: 'nextStep: before?.nextStep,',
    test: 'src/kernel/harness/session.test.ts',
  },
  'runtime.4.keeps-id': {
    file: 'src/kernel/harness/session.ts',
    find: '(before?.sessionId ?? newSessionId(issueId, now))',
    replace: 'newSessionId(issueId, now)',
    test: 'src/kernel/harness/session.test.ts',
  },
  'runtime.4.keeps-start': {
    file: 'src/kernel/harness/session.ts',
    find: 'startedAt: before?.startedAt ?? at,',
    replace: 'startedAt: at,',
    test: 'src/kernel/harness/session.test.ts',
  },
  'runtime.4.refs-normal': {
    file: 'src/kernel/harness/artifact.ts',
    find: 'cleanRefs(given.map(wholeText))',
    replace: 'given.map(wholeText)',
    test: 'src/kernel/harness/session.test.ts',
  },
  'runtime.4.blank-absent': {
    file: 'src/kernel/artifact/read.ts',
    find: 'return trim(value) || blank',
    replace: 'return trim(value)',
    test: 'src/kernel/harness/session.test.ts',
  },
  'runtime.4.bootstrap-kind': {
    file: 'src/kernel/harness/bootstrap.ts',
    find: "'premath.harness.bootstrap.v1'",
    replace: "'premath.harness.bootstrap.v2' as never",
    test: 'src/kernel/harness/bootstrap.test.ts',
  },
  'runtime.4.bootstrap-mode': {
    file: 'src/kernel/harness/bootstrap.ts',
    find: "session.state === 'stopped' ? 'resume'",
    replace: "session.state === 'active' ? 'resume'",
    test: 'src/kernel/harness/bootstrap.test.ts',
  },
  'runtime.5.one-row': {
    file: 'src/kernel/harness/feature-ledger.ts',
    find: '[...rows.filter(other => other !== old), row]',
    replace: '[...rows, row]',
    test: 'src/kernel/harness/feature-ledger.test.ts',
  },
  'runtime.5.status-domain': {
    file: 'src/kernel/harness/ledger-check.ts',
    find: 'featureStatuses.some(known => known === status)',
    replace: 'featureStatuses.some(known => known === trim(status))',
    test: 'src/kernel/harness/ledger-check.test.ts',
  },
  'runtime.5.one-in-progress': {
    file: 'src/kernel/harness/ledger-check.ts',
    find: 'working.length < 2',
    replace: 'working.length < 3',
    test: 'src/kernel/harness/ledger-check.test.ts',
  },
  'runtime.5.completed-verified': {
    file: 'src/kernel/harness/ledger-check.ts',
    find: "status === 'completed' && verificationRefs.length === 0",
    replace: "status === 'blocked' && verificationRefs.length === 0",
    test: 'src/kernel/harness/ledger-check.test.ts',
  },
  'runtime.5.next-feature': {
    file: 'src/kernel/harness/feature-ledger.ts',
    find: "['in_progress', 'pending']",
    replace: "['pending', 'in_progress']",
    test: 'src/kernel/harness/feature-ledger.test.ts',
  },
  'runtime.5.bootstrap-projection': {
    file: 'src/kernel/harness/bootstrap.ts',
    find: 'features?.featureCount ?? null',
    replace: 'null',
    test: 'src/kernel/harness/bootstrap.test.ts',
  },
  'runtime.6.row-members': {
    file: 'src/kernel/artifact/read.ts',
    find: 'whenAbsent === undefined && !isOptional',
    replace: 'whenAbsent === undefined && isOptional === false',
    test: 'src/kernel/harness/step/step-row.test.ts',
  },
  'runtime.6.projection-kind': {
    file: 'src/kernel/harness/step/trajectory.ts',
    find: "'premath.harness.trajectory.projection.v1'",
    replace: "'premath.harness.trajectory.projection.v2'",
    test: 'test/documents.test.ts',
  },
  'runtime.6.projection-modes': {
    file: 'src/kernel/harness/step/trajectory.ts',
    find: ': isRetryNeeded(resultClass)',
    replace: ': !isSuccess(resultClass)',
    test: 'src/kernel/harness/step/trajectory.test.ts',
  },
  'runtime.6.projection-order': {
    file: 'src/kernel/harness/step/trajectory.ts',
    find: 'byCodePoint(a.row.action, b.row.action) ||',
    replace: '',
    test: 'src/kernel/harness/step/trajectory.test.ts',
  },
  'runtime.6.append-only': {
    file: 'src/store/line-log.ts',
    find: 'await file.append(bytes)',
    replace: 'await file.cut(0)\n  await file.append(bytes)',
    test: 'src/store/trajectory/trajectory-log.test.ts',
  },
  'runtime.7.loop-shape': [
    {
      file: 'src/harness/step/verify-work.ts',
      find: 'if (!(await mayVerify(harness, work, options))) return { verification: undefined }',
      replace: 'if (await mayVerify(harness, work, options)) return { verification: undefined }',
      test: loopTest,
    },
    {
      file: 'src/kernel/harness/step/step-decision.ts',
      find: "return 'block'",
      replace: "return 'release'",
      test: loopTest,
    },
  ],
  'runtime.7.sorted-dispatch': [
    {
      file: 'src/project/loop/worktree-plan.ts',
      find: '.toSorted(byCodePoint)',
      replace: '',
      test: loopTest,
    },
    {
      file: 'src/harness/loop/loop.ts',
      find: 'const free = waiting.filter(worker => worker.isRested(rested))',
      replace: 'const free = waiting.filter(worker => worker.isRested(rested)).toReversed()',
      test: loopTest,
    },
  ],
  'runtime.7.diagnostics-each-pass': {
    file: 'src/harness/loop/loop.ts',
    find: "if (this.#isCircular(memory)) return 'cycle'",
    replace: "if (this.#passes === 0 && this.#isCircular(memory)) return 'cycle'",
    test: loopTest,
  },
  'runtime.7.ready-each-round': {
    file: 'src/harness/loop/loop.ts',
    find: 'const chosen = this.#choose(memory)',
    replace: 'const chosen = this.#passes > 0 ? [] : this.#choose(memory)',
    test: loopTest,
  },
  'runtime.7.claim': [
    {
      file: 'src/kernel/issues/lease.ts',
      find: 'leaseWord(assignee)}',
      replace: 'leaseWord(assignee).length}',
      test: loopTest,
    },
    {
      file: 'src/kernel/issues/lease.ts',
      find: 'for (const issue of free) {',
      replace: 'for (const issue of [...memory.leased(), ...free]) {',
      test: 'src/kernel/issues/lease.test.ts',
    },
  ],
  'runtime.7.session-and-feature': {
    file: 'src/project/loop/coordinated-workers.ts',
    find: 'const { session, ledger } = documents',
    replace:
      'const { session } = documents\n  const { ledger } = worktreeDocuments(coordinator.root)',
    test: loopTest,
  },
  'runtime.7.lineage': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: 'worktree: fromRoot(harness, worktree),',
      replace: 'worktree,',
      test: loopTest,
    },
    {
      file: 'src/harness/step/commit-step.ts',
      find: 'witnessRefs,\n    lineageRefs,\n',
      replace: 'witnessRefs,\n    lineageRefs: [],\n',
      test: loopTest,
    },
  ],
  'runtime.7.work-and-verify': [
    {
      file: 'src/harness/step/verify-work.ts',
      find: '!failure && !stop.aborted',
      replace: '!stop.aborted',
      test: loopTest,
    },
    {
      file: 'src/harness/step/attempt.ts',
      find: 'verifyClasses: verification?.failureClasses,',
      replace: 'verifyClasses: [],',
      test: loopTest,
    },
  ],
  'runtime.7.handoff-from-memory': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: "leaseOwner: issue?.lease?.owner ?? (isClosed ? workerId : ''),",
      replace: 'leaseOwner: workerId,',
      test: loopTest,
    },
    {
      file: 'src/harness/step/commit-step.ts',
      find: 'const leaseState = handoffState(issue, clock.now())',
      replace: "const leaseState = clock.now() < 0n ? handoffState(issue, 0n) : 'unleased'",
      test: loopTest,
    },
  ],
  'runtime.7.lease-witness': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: '      handoffRef(harness, journal, issue),\n',
      replace: '',
      test: loopTest,
    },
    {
      file: 'src/harness/step/commit-step.ts',
      find: "status: issue?.status ?? '',",
      replace: "status: '',",
      test: loopTest,
    },
  ],
  'runtime.7.stop-handoff': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: "state: 'stopped',",
      replace: "state: 'active',",
      test: loopTest,
      named: 'leaves a session',
    },
    {
      file: 'src/harness/step/attempt.ts',
      find: 'stopped: isStopped(harness, parts),',
      replace: 'stopped: false,',
      test: loopTest,
      named: 'that is asked to stop',
    },
  ],
  'runtime.7.projections-no-authority': [
    {
      file: 'src/harness/step/claim-work.ts',
      find: 'options.issueId ?? goOn?.id',
      replace: 'options.issueId ?? goOn?.id ?? (await harness.session.read())?.issueId',
      test: loopTest,
    },
    {
      file: 'src/harness/loop/worker-pool.ts',
      find: 'const unready = await worker.boot(options)',
      replace: trustsLedger,
      test: loopTest,
    },
  ],
  'runtime.8.no-parallel-ids': {
    file: 'src/operations/harness/session-read.ts',
    find: "opId: 'op/harness.session_read',",
    replace: "opId: 'op/harness.session_show',",
    test: 'test/op-ids.test.ts',
  },
  'runtime.8.transport-chain': [
    {
      file: answers,
      find: "order === 'outcome, check'",
      replace: "order.startsWith('outcome, check')",
      test: answersTest,
    },
    {
      file: answers,
      find: "outcome?.['relocationDigest'] !==",
      replace: "outcome === undefined || outcome['result'] ===",
      test: answersTest,
    },
  ],
  'runtime.8.one-authority': [
    {
      file: 'src/project/loop/step-gate.ts',
      find: 'if (isLocation(target))',
      replace: 'if (isLocation(target) && this.#turns === 0)',
      test: 'test/harness-step.test.ts',
    },
    {
      file: 'src/project/loop/step-gate.ts',
      find: 'this.#find(failureClass, `line',
      replace: 'if (this.#turns === 0) this.#find(failureClass, `line',
      test: 'test/harness-step.test.ts',
    },
  ],
}
