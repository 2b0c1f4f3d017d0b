/** TUSK-HARNESS-CONTRACT. */
import type { Mutants } from './mutant.ts'

/** Goes around issue memory, and closes bd-1. */
const closesIssue = `const project = await openProject(context)
    const forged = '{"id":"bd-1","title":"T","status":"closed"}'
    const disk = await context.disk()
    await disk.appendLoosely('/p/.premath/issues.jsonl', new TextEncoder().encode(forged))`

/** Keeps a copy of issue memory in the session. */
const holdsIssues = `const rows = await context.files.read('/p/.premath/issues.jsonl')
    input = { ...input, summary: new TextDecoder().decode(rows) }
    const session = await open.cell.update(before => {`

export const tuskMutants: Mutants = {
  'tusk.3.1.boot': [
    {
      file: 'src/harness/boot.ts',
      find: "state === 'changed'",
      replace: "state === 'missing'",
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/harness/boot.ts',
      find: 'accepted: found.length === 0,',
      replace: 'accepted: startup?.failure === undefined,',
      test: 'test/hooks.test.ts',
    },
  ],
  'tusk.3.2.step': {
    file: 'src/harness/step/attempt.ts',
    find: 'const witnessRefs = [recordRef, turnRef,',
    replace: 'const witnessRefs = [recordRef,',
    test: 'test/hooks.test.ts',
  },
  'tusk.3.3.stop': {
    file: 'src/harness/stop.ts',
    find: 'issuesSnapshotRef: memory.snapshotRef(harness.sha256),',
    replace: 'issuesSnapshotRef: undefined,',
    test: 'test/hooks.test.ts',
  },
  'tusk.4.restart': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: 'const recorded = again ? await harness.trajectory.get(journal.stepId) : undefined',
      replace:
        'const recorded = again ? await harness.trajectory.get(journal.workerId) : undefined',
      test: 'test/sim/step-kills.test.ts',
    },
    {
      file: 'src/harness/step/recover.ts',
      find: '!wasHeld.has(',
      replace: 'wasHeld.has(',
      test: 'test/sim/step-kills.test.ts',
    },
  ],
  'tusk.4.bounded': {
    file: 'src/kernel/harness/prime.ts',
    find: 'if (tokensAtMost(text) <= primeTokensMax)',
    replace: 'if (text.length <= 4 * primeTokensMax)',
    test: 'src/kernel/harness/prime.test.ts',
  },
  'tusk.4.sub-agents': {
    file: 'src/kernel/issues/issue-edit.ts',
    find: "type: 'discovered-from',",
    replace: "type: 'related',",
    test: 'test/harness-step.test.ts',
  },
  'tusk.5.verification-classes': [
    {
      file: 'src/kernel/harness/retry/failure-class.ts',
      find: 'if (timedOut || signal ||',
      replace: 'if (signal ||',
      test: 'src/kernel/harness/retry/failure-class.test.ts',
    },
    {
      file: 'src/kernel/harness/retry/failure-class.ts',
      find: 'exitCode === 126 || exitCode === 127',
      replace: 'exitCode === 127',
      test: 'src/kernel/harness/retry/failure-class.test.ts',
    },
  ],
  'tusk.5.max-attempts': {
    file: 'src/kernel/harness/retry/retry-decision.ts',
    find: 'attempt < rule.maxAttempts',
    replace: 'attempt <= rule.maxAttempts',
    test: 'src/kernel/harness/retry/retry-decision.test.ts',
  },
  'tusk.5.backoff': {
    file: 'src/kernel/harness/retry/retry-decision.ts',
    find: '(attempt - 1)',
    replace: 'attempt',
    test: 'src/kernel/harness/retry/retry-decision.test.ts',
  },
  'tusk.5.escalation-path': {
    file: 'src/kernel/harness/retry/escalation.ts',
    find: "{ action: 'issue.block', id: issueId, note, proof }",
    replace: "{ action: 'issue.lease_release', id: issueId, proof }",
    test: 'src/kernel/harness/retry/escalation.test.ts',
  },
  'tusk.5.no-silent-pass': {
    file: 'src/kernel/harness/retry/retry-decision.ts',
    find: 'rule: policy.defaultRule }',
    replace: 'rule: { ...policy.defaultRule, maxAttempts: 2 } }',
    test: 'src/kernel/harness/retry/retry-decision.test.ts',
  },
  'tusk.6.one-record': {
    file: 'src/store/line-log.ts',
    find: 'await file.append(bytes)',
    replace: 'await file.append(bytes.subarray(0, 9))\n  await file.append(bytes.subarray(9))',
    test: 'src/store/trajectory/trajectory-log.test.ts',
  },
  'tusk.6.references': {
    file: 'src/harness/step/command.ts',
    find: 'outputDigest:',
    replace: 'outputDigest: end.stdout.tail ||',
    test: 'test/hooks.test.ts',
  },
  'tusk.6.typed-metadata': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: '...(commands.length > 0 && { commands }),',
      replace: '',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/harness/step/commit-step.ts',
      find: '...(turn && { turn }),',
      replace: '',
      test: 'test/hooks.test.ts',
    },
    {
      file: 'src/kernel/artifact/read.ts',
      find: 'return value === null ? null : read(shape.of, value, options)',
      replace: 'return read(shape.of, value, options)',
      test: 'src/kernel/harness/step/step-row.test.ts',
    },
  ],
  'tusk.6.replay': {
    file: 'src/store/trajectory/trajectory-log.ts',
    find: 'await takeAll(view.rest)',
    replace: 'await takeAll([])',
    test: 'src/store/trajectory/trajectory-log.test.ts',
  },
  'tusk.6.clustering': {
    file: 'src/kernel/harness/retry/failure-clusters.ts',
    find: '...(row.turn?.failureClasses ?? []), ',
    replace: '',
    test: 'src/kernel/harness/step/trajectory.test.ts',
  },
  'tusk.6.not-authority': {
    file: 'src/operations/harness/trajectory-append.ts',
    find: 'const project = await openProject(context)',
    replace: closesIssue,
    test: 'test/documents.test.ts',
  },
  'tusk.9.issue-context': {
    file: 'src/kernel/harness/retry/issue-context.ts',
    find: 'if (other !== undefined) return',
    replace: "if (other === '') return",
    test: 'src/kernel/harness/retry/issue-context.test.ts',
  },
  'tusk.11.continuity': {
    file: 'src/kernel/harness/bootstrap.ts',
    find: 'nextStep: session?.nextStep ?? null,',
    replace: 'nextStep: null,',
    test: 'test/documents.test.ts',
  },
  'tusk.11.names-authority': {
    file: 'src/operations/harness/session-write.ts',
    find: 'const session = await open.cell.update(before => {',
    replace: holdsIssues,
    test: 'test/documents.test.ts',
  },
  'tusk.11.no-authority': {
    file: 'src/operations/harness/feature-write.ts',
    find: 'const project = await openProject(context)',
    replace: closesIssue,
    test: 'test/documents.test.ts',
  },
  'tusk.11.canonical-artifact': {
    file: 'src/kernel/harness/session.ts',
    find: "'.premath/harness_session.json'",
    replace: "'.premath/session.json'",
    test: 'test/documents.test.ts',
  },
  'tusk.11.stopped-at': {
    file: 'src/kernel/harness/session.ts',
    find: "write.state === 'stopped' ? at : undefined",
    replace: 'at',
    test: 'src/kernel/harness/session.test.ts',
  },
  'tusk.11.snapshot-ref': {
    file: 'src/kernel/issues/issue-memory.ts',
    find: "this.all().map(snapshotRow).join('')",
    replace: "''",
    test: 'test/documents.test.ts',
  },
  'tusk.11.snapshot-stable': {
    file: 'src/kernel/issues/issue-memory.ts',
    find: "this.all().map(snapshotRow).join('')",
    replace: 'JSON.stringify(this.all().map(one => one.id))',
    test: 'test/documents.test.ts',
  },
  'tusk.11.commands': {
    file: 'src/operations/index.ts',
    find: "'harness-session read'",
    replace: "'harness-session show'",
    test: 'test/documents.test.ts',
  },
  'tusk.11.bootstrap': {
    file: 'src/kernel/harness/bootstrap.ts',
    find: 'nextFeatureId: features?.nextFeatureId ?? null,',
    replace: 'nextFeatureId: null,',
    test: 'test/documents.test.ts',
  },
  'tusk.11.update-in-place': {
    file: 'src/kernel/harness/session.ts',
    find: 'updatedAt: at,',
    replace: 'updatedAt: before?.updatedAt ?? at,',
    test: 'test/documents.test.ts',
  },
  'tusk.11.blank-absent': {
    file: 'src/kernel/harness/artifact.ts',
    find: 'given === undefined ? kept : wholeText(given) || undefined',
    replace: 'given === undefined ? kept : wholeText(given)',
    test: 'test/documents.test.ts',
  },
  'tusk.12.one-row-a-step': {
    file: 'src/store/line-log.ts',
    find: 'await file.append(bytes)',
    replace: 'await file.append(bytes.subarray(0, 9))\n  await file.append(bytes.subarray(9))',
    test: 'src/store/trajectory/trajectory-log.test.ts',
  },
  'tusk.12.row': {
    file: 'src/wire/harness/step-row.ts',
    find: 'action: NonEmpty,\n    resultClass: NonEmpty,',
    replace: 'resultClass: NonEmpty,\n    action: NonEmpty,',
    test: 'test/documents.test.ts',
  },
  'tusk.12.normal-form': {
    file: 'src/kernel/text/clean.ts',
    find: "[...new Set(refs.map(trim).filter(ref => ref !== ''))].sort(byCodePoint)",
    replace: "[...new Set(refs.map(trim).filter(ref => ref !== ''))].sort()",
    test: 'src/kernel/harness/step/step-row.test.ts',
  },
  'tusk.12.bad-times': {
    file: 'src/kernel/artifact/read.ts',
    find: 'instantOf(time) !== undefined',
    replace: '!Number.isNaN(Date.parse(time))',
    test: 'src/kernel/harness/step/step-row.test.ts',
  },
  'tusk.12.projection': {
    file: 'src/kernel/harness/step/trajectory.ts',
    find: "mode === 'failed' ? !isSuccess(resultClass)",
    replace: "mode === 'failed' ? isRetryNeeded(resultClass)",
    test: 'test/documents.test.ts',
  },
  'tusk.12.commands': {
    file: 'src/operations/index.ts',
    find: "'harness-trajectory append'",
    replace: "'harness-trajectory add'",
    test: 'test/documents.test.ts',
  },
  'tusk.13.formula': {
    file: 'src/kernel/harness/run/kpi.ts',
    find: 'kpi: throughputPerWorkerPerDay * gatePassRate,',
    replace: 'kpi: throughputPerWorkerPerDay,',
    test: 'src/kernel/harness/run/kpi.test.ts',
  },
  'tusk.13.window': {
    file: 'src/kernel/harness/run/kpi.ts',
    find: 'at < start || at > end',
    replace: 'at <= start || at > end',
    test: 'src/kernel/harness/run/kpi.test.ts',
  },
  'tusk.13.decision': {
    file: 'src/kernel/harness/run/kpi.ts',
    find: 'if (kpi < rollbackKpi)',
    replace: 'if (kpi <= rollbackKpi)',
    test: 'src/kernel/harness/run/kpi.test.ts',
  },
  'tusk.13.thresholds': [
    {
      file: 'src/kernel/harness/run/kpi.ts',
      find: 'minSampleRows: 3,',
      replace: 'minSampleRows: 2,',
      test: 'test/documents.test.ts',
    },
    {
      file: 'src/kernel/harness/run/kpi.ts',
      find: 'targetKpi: 0.8,',
      replace: 'targetKpi: 0.7,',
      test: 'test/documents.test.ts',
    },
  ],
  'tusk.13.report': {
    file: 'src/kernel/harness/run/kpi.ts',
    find: 'end > 0 ? stepId.slice(0, end) : ',
    replace: '',
    test: 'test/documents.test.ts',
  },
  'tusk.13.pause': {
    file: 'src/kernel/harness/run/kpi.ts',
    find: ' || (this.remediation && at <= this.remediation.at)',
    replace: '',
    test: 'src/kernel/harness/run/kpi-remediation.test.ts',
  },
  'tusk.13.boundary': {
    file: 'src/operations/harness/kpi.ts',
    find: 'const project = await openProject(context)',
    replace: closesIssue,
    test: 'test/documents.test.ts',
  },
}
