/** The list of all operations. A command's words are written here and nowhere else. */
import type { Operations } from './operation.ts'

export const operations: Operations = {
  'ci-hygiene-check': () => import('./checks/hygiene.ts').then(module => module.ciHygieneCheck),
  'ci-instruction': () => import('./checks/instruction.ts').then(module => module.ciInstruction),
  'ci-pipeline-test': () => import('./checks/pipeline.ts').then(module => module.ciPipelineTest),
  'ci-required': () => import('./required/ci.ts').then(module => module.ciRequired),
  clean: () => import('./project/clean.ts').then(module => module.clean),
  'coherence-check': () => import('./checks/coherence.ts').then(module => module.coherenceCheck),
  'config set': () => import('./config/set.ts').then(module => module.configSet),
  'config show': () => import('./config/show.ts').then(module => module.configShow),
  'conformance run': () =>
    import('./project/conformance-run.ts').then(module => module.conformanceRun),
  'dep add': () => import('./dep/add.ts').then(module => module.depAdd),
  'dep diagnostics': () => import('./dep/diagnostics.ts').then(module => module.depDiagnostics),
  'dep project': () => import('./dep/project.ts').then(module => module.depProject),
  'dep remove': () => import('./dep/remove.ts').then(module => module.depRemove),
  'dep replace': () => import('./dep/replace.ts').then(module => module.depReplace),
  'dep tree': () => import('./dep/tree.ts').then(module => module.depTree),
  'docs-coherence-check': () =>
    import('./checks/docs-coherence.ts').then(module => module.docsCoherenceCheck),
  doctor: () => import('./project/doctor.ts').then(module => module.doctor),
  'doctrine-check': () => import('./checks/doctrine.ts').then(module => module.doctrineCheck),
  'governance-promotion-check': () =>
    import('./policy/governance-promotion-check.ts').then(
      module => module.governancePromotionCheck,
    ),
  'harness-boot': () => import('./harness/boot.ts').then(module => module.harnessBoot),
  'harness-escalate': () => import('./harness/escalate.ts').then(module => module.harnessEscalate),
  'harness-feature check': () =>
    import('./harness/feature-check.ts').then(module => module.harnessFeatureCheck),
  'harness-feature next': () =>
    import('./harness/feature-next.ts').then(module => module.harnessFeatureNext),
  'harness-feature read': () =>
    import('./harness/feature-read.ts').then(module => module.harnessFeatureRead),
  'harness-feature write': () =>
    import('./harness/feature-write.ts').then(module => module.harnessFeatureWrite),
  'harness-join-check': () =>
    import('./harness/join-check.ts').then(module => module.harnessJoinCheck),
  'harness-kpi': () => import('./harness/kpi.ts').then(module => module.harnessKpi),
  'harness-kpi remediate': () =>
    import('./harness/kpi-remediate.ts').then(module => module.harnessKpiRemediate),
  'harness-loop coordinator': () =>
    import('./harness/loop-coordinator.ts').then(module => module.harnessLoopCoordinator),
  'harness-loop worker': () =>
    import('./harness/loop-worker.ts').then(module => module.harnessLoopWorker),
  'harness-relocation check': () =>
    import('./harness/relocation-check.ts').then(module => module.harnessRelocationCheck),
  'harness-retry': () => import('./harness/retry.ts').then(module => module.harnessRetry),
  'harness-session bootstrap': () =>
    import('./harness/session-bootstrap.ts').then(module => module.harnessSessionBootstrap),
  'harness-session read': () =>
    import('./harness/session-read.ts').then(module => module.harnessSessionRead),
  'harness-session write': () =>
    import('./harness/session-write.ts').then(module => module.harnessSessionWrite),
  'harness-step': () => import('./harness/step.ts').then(module => module.harnessStep),
  'harness-stop': () => import('./harness/stop.ts').then(module => module.harnessStop),
  'harness-trajectory append': () =>
    import('./harness/trajectory-append.ts').then(module => module.harnessTrajectoryAppend),
  'harness-trajectory query': () =>
    import('./harness/trajectory-query.ts').then(module => module.harnessTrajectoryQuery),
  init: () => import('./project/init.ts').then(module => module.init),
  'instruction new': () => import('./instruction/new.ts').then(module => module.instructionNew),
  'instruction-check': () =>
    import('./instruction/check.ts').then(module => module.instructionCheck),
  'instruction-run': () => import('./instruction/run.ts').then(module => module.instructionRun),
  'instruction-witness': () =>
    import('./instruction/witness.ts').then(module => module.instructionWitness),
  'issue add': () => import('./issue/add.ts').then(module => module.issueAdd),
  'issue backend-status': () =>
    import('./issue/backend-status.ts').then(module => module.issueBackendStatus),
  'issue blocked': () => import('./issue/blocked.ts').then(module => module.issueBlocked),
  'issue check': () => import('./issue/check.ts').then(module => module.issueCheck),
  'issue claim': () => import('./issue/claim.ts').then(module => module.issueClaim),
  'issue claim-next': () => import('./issue/claim-next.ts').then(module => module.issueClaimNext),
  'issue close': () => import('./issue/close.ts').then(module => module.issueClose),
  'issue comment': () => import('./issue/comment.ts').then(module => module.issueComment),
  'issue compact': () => import('./issue/compact.ts').then(module => module.issueCompact),
  'issue discover': () => import('./issue/discover.ts').then(module => module.issueDiscover),
  'issue export': () => import('./issue/export.ts').then(module => module.issueExport),
  'issue import': () => import('./issue/import.ts').then(module => module.issueImport),
  'issue lease-projection': () =>
    import('./issue/lease-projection.ts').then(module => module.issueLeaseProjection),
  'issue lease-release': () =>
    import('./issue/lease-release.ts').then(module => module.issueLeaseRelease),
  'issue lease-renew': () =>
    import('./issue/lease-renew.ts').then(module => module.issueLeaseRenew),
  'issue list': () => import('./issue/list.ts').then(module => module.issueList),
  'issue migrate-events': () =>
    import('./issue/migrate-events.ts').then(module => module.issueMigrateEvents),
  'issue ready': () => import('./issue/ready.ts').then(module => module.issueReady),
  'issue replay-events': () =>
    import('./issue/replay-events.ts').then(module => module.issueReplayEvents),
  'issue show': () => import('./issue/show.ts').then(module => module.issueShow),
  'issue update': () => import('./issue/update.ts').then(module => module.issueUpdate),
  'issue-graph-check': () =>
    import('./issue/graph-check.ts').then(module => module.issueGraphCheck),
  land: () => import('./harness/land.ts').then(module => module.land),
  'land revert': () => import('./harness/land-revert.ts').then(module => module.landRevert),
  'land status': () => import('./harness/land-status.ts').then(module => module.landStatus),
  log: () => import('./everyday/log.ts').then(module => module.log),
  'mcp-serve': () => import('./mcp/serve.ts').then(module => module.mcpServe),
  'merge-driver': () => import('./project/merge-driver.ts').then(module => module.mergeDriver),
  observe: () => import('./observe/observe.ts').then(module => module.observe),
  'observe-build': () => import('./observe/build.ts').then(module => module.observeBuild),
  'observe-serve': () => import('./observe/serve.ts').then(module => module.observeServe),
  'policy check': () => import('./policy/check.ts').then(module => module.policyCheck),
  'policy restore': () => import('./policy/restore.ts').then(module => module.policyRestore),
  'policy set': () => import('./policy/set.ts').then(module => module.policySet),
  'policy show': () => import('./policy/show.ts').then(module => module.policyShow),
  prime: () => import('./project/prime.ts').then(module => module.prime),
  'proposal-check': () =>
    import('./instruction/proposal-check.ts').then(module => module.proposalCheck),
  'required-decision-verify': () =>
    import('./required/decision-verify.ts').then(module => module.requiredDecisionVerify),
  'required-delta': () => import('./required/delta.ts').then(module => module.requiredDelta),
  'required-gate-ref': () =>
    import('./required/gate-ref.ts').then(module => module.requiredGateRef),
  'required-projection': () =>
    import('./required/projection.ts').then(module => module.requiredProjection),
  'required-witness': () => import('./required/witness.ts').then(module => module.requiredWitness),
  'required-witness-decide': () =>
    import('./required/witness-decide.ts').then(module => module.requiredWitnessDecide),
  'required-witness-verify': () =>
    import('./required/witness-verify.ts').then(module => module.requiredWitnessVerify),
  'resident serve': () => import('./resident/serve.ts').then(module => module.residentServe),
  'resident status': () =>
    import('./resident/status.ts').then(module => module.residentStatusShown),
  'resident stop': () => import('./resident/stop.ts').then(module => module.residentStop),
  repl: () => import('./transport/repl.ts').then(module => module.repl),
  run: () => import('./harness/run.ts').then(module => module.run),
  schema: () => import('./project/schema.ts').then(module => module.schema),
  'scheme-eval': () => import('./transport/scheme-eval.ts').then(module => module.schemeEval),
  'spec conform': () => import('./spec/conform.ts').then(module => module.specConform),
  'spec create': () => import('./spec/create.ts').then(module => module.specCreate),
  'spec explain': () => import('./spec/explain.ts').then(module => module.specExplain),
  'spec format': () => import('./spec/format.ts').then(module => module.specFormat),
  'spec lint': () => import('./spec/lint.ts').then(module => module.specLint),
  'spec list': () => import('./spec/list.ts').then(module => module.specList),
  'spec run': () => import('./spec/run.ts').then(module => module.specRun),
  'spec update': () => import('./spec/update.ts').then(module => module.specUpdate),
  status: () => import('./everyday/status.ts').then(module => module.status),
  uninit: () => import('./project/uninit.ts').then(module => module.uninit),
  verify: () => import('./everyday/verify.ts').then(module => module.verify),
  'trust add': () => import('./trust/add.ts').then(module => module.trustAdd),
  'trust list': () => import('./trust/list.ts').then(module => module.trustList),
  'trust remove': () => import('./trust/remove.ts').then(module => module.trustRemove),
  'witness export': () => import('./witness/export.ts').then(module => module.witnessExport),
  'witness keygen': () => import('./witness/keygen.ts').then(module => module.witnessKeygen),
  'witness list': () => import('./witness/list.ts').then(module => module.witnessList),
  'witness show': () => import('./witness/show.ts').then(module => module.witnessShow),
  'witness verify': () => import('./witness/verify.ts').then(module => module.witnessVerify),
}
