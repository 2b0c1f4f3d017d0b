/** HARNESS-RUNTIME. */
import type { Mutants } from './mutant.ts'

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
  'runtime.1.no-authority': {
    file: 'src/harness/step/claim-work.ts',
    find: 'options.issueId ?? goOn?.id',
    replace: 'options.issueId ?? goOn?.id ?? (await harness.session.read())?.issueId',
    test: 'test/hooks.test.ts',
  },
  'runtime.2.session-artifact': {
    file: 'src/kernel/harness/session.ts',
    find: "'premath.harness.session.v1'",
    replace: "'premath.harness.session.v2'",
    test: 'test/documents.test.ts',
  },
  'runtime.2.ledger-artifact': {
    file: 'src/kernel/harness/feature-ledger.ts',
    find: "'premath.harness.feature_ledger.v1'",
    replace: "'premath.harness.feature_ledger.v2'",
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
  'runtime.3.1.roots': [
    {
      file: 'src/harness/boot.ts',
      find: '(await disk.stamp(path)) !== undefined',
      replace: "(await disk.entry(path))?.kind === 'file'",
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/harness/boot.ts',
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
      find: "if (held) return targetOf(held, 'held')",
      replace: '',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/harness/next-target.ts',
      find: 'if (!mayClaim(offer.id)) continue',
      replace: '',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/harness/next-target.ts',
      find: "offer.assignee === '' || offer.assignee === workerId",
      replace: "offer.title !== ''",
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.1.startup': {
    file: 'src/harness/boot.ts',
    find: '[...flaws, ...startupFlaws(harness, startup)]',
    replace: 'flaws',
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
      file: 'src/kernel/turn/evidence/derive-evidence.ts',
      find: 'viewDigest: digestOf(turn.before, sha256),',
      replace: 'viewDigest: profileDigest,',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/turn/evidence/derive-evidence.ts',
      find: 'sha256(turn.injected)',
      replace: 'sha256(turn.thread)',
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
      file: 'src/kernel/authority/operator-grant.ts',
      find: "if (mode !== 'open' && mode !== 'operator' && mode !== 'human-override') {",
      replace: 'if (mode === undefined) {',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/harness/step/step-authority.ts',
      find: "change !== 'close' ||",
      replace: "change === 'close' ||",
      test: 'test/hooks.test.ts',
    },
  ],
  'runtime.3.2.instruction-mediated': [
    {
      file: 'src/kernel/authority/agent-door.ts',
      find: 'isOf(one.action, action) && isAbout(one.issueId, targetOf(change))',
      replace: 'isOf(one.action, action)',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/authority/agent-door.ts',
      find: '!used.entries.has(entry)',
      replace: 'entry >= 0',
      test: 'test/hooks.test.ts',
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
    find: 'options.nextStep ?? nextStepOf',
    replace: 'nextStepOf',
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
  'runtime.4.bootstrap-kind': {
    file: 'src/kernel/harness/bootstrap.ts',
    find: "'premath.harness.bootstrap.v1'",
    replace: "'premath.harness.bootstrap.v2'",
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
    file: 'src/store/trajectory/trajectory-log.ts',
    find: 'await file.append(bytes)',
    replace: 'await this.#disk.replace(this.path, bytes)',
    test: 'src/store/trajectory/trajectory-log.test.ts',
  },
}
