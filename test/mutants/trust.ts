/** Decisions about trust: what work and agents may do. */
import type { Mutants } from './mutant.ts'

const agentClose = 'src/project/proofs/agent-close.ts'
const agentCloseTest = 'test/agent-close.test.ts'
const agentTest = 'test/agents-outside-steps.test.ts'
const judgingCommit = 'src/project/authority/judging-commit.ts'
const onTarget = 'src/project/authority/on-target.ts'
const terminalTest = 'test/work-terminal.test.ts'
const workTest = 'test/step-work.test.ts'
const mailbox = 'src/harness/step/mailbox.ts'

export const trustMutants: Mutants = {
  'trust.29.attributes': {
    file: 'src/harness/landing/other-attributes.ts',
    find: 'if (exitCode !== 0) await',
    replace: 'if (exitCode > 1) await',
    test: 'src/harness/landing/clean-worktree.test.ts',
  },
  'trust.29.neutral': [
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: '{ ...given, isNeutral: true }',
      replace: 'given',
      test: 'test/mcp/close-landing.test.ts',
      named: 'without the setting',
    },
    {
      file: 'src/project/loop/run-landing.ts',
      find: '{ ...place, isNeutral: true }',
      replace: 'place',
      test: 'test/landing-protection.test.ts',
      named: 'a run proves the bytes',
    },
  ],
  'trust.30.branch': {
    file: 'src/project/authority/judging-commit.ts',
    find: ' ?? (await branchAtClaim(place, issue))',
    replace: '',
    test: 'test/mcp/close-landing.test.ts',
    named: 'lands on the branch of the claim',
  },
  'trust.31.attributes': {
    file: 'src/harness/landing/judge-change.ts',
    find: '    ...attributes,\n',
    replace: '',
    test: 'test/mcp/close-landing.test.ts',
    named: 'that changes how git writes',
  },
  'trust.29.copy': {
    file: 'src/harness/landing/copied-checkout.ts',
    find: '{copy}/.premath`)',
    replace: '{copy}/other`)',
    test: 'test/work-checkout.test.ts',
  },
  'trust.29.outside': {
    file: 'src/harness/landing/left-checkouts.ts',
    find: 'if (cache === undefined) return',
    replace: 'if (cache !== undefined) return',
    test: 'test/work-checkout.test.ts',
  },
  'trust.29.copies': {
    file: 'src/harness/landing/git-checkout.ts',
    find: 'new CleanWorktree(place, path, this.#copies, ',
    replace: 'new CleanWorktree(place, path, { ...this.#copies, folder: place.top }, ',
    test: 'test/work-checkout.test.ts',
  },
  'trust.30.settings': {
    file: 'src/harness/landing/commit-memory.ts',
    find: 'now.get(name) !== before.get(name)',
    replace: 'now.has(name) !== before.has(name)',
    test: 'test/landing-protection.test.ts',
  },
  'trust.31.runs-tests': [
    {
      file: 'src/harness/landing/judge-change.ts',
      find: '    ...authority,\n',
      replace: '',
      test: 'test/landing-protection.test.ts',
    },
    {
      file: 'src/harness/landing/judge-change.ts',
      find: 'for (const one of packageCommands(text, script))',
      replace: 'for (const one of packageCommands(text, script).slice(9))',
      test: 'test/landing-protection.test.ts',
    },
    {
      file: 'src/harness/landing/judge-change.ts',
      find: 'if (found.has(path) || found.size >= commandsMax) continue',
      replace: 'if (found.size >= 1) continue',
      test: 'test/landing-protection.test.ts',
    },
    {
      file: 'src/kernel/landing/protected-member.ts',
      find: 'return old === undefined || old !== now',
      replace: 'return old === undefined',
      test: 'test/landing-protection.test.ts',
    },
    {
      file: 'src/wire/config/config.ts',
      find: "    '**/node_modules/**',\n",
      replace: '',
      test: 'test/landing-protection.test.ts',
    },
  ],
  'trust.31.memory': {
    file: 'src/harness/landing/landing.ts',
    find: 'if (edits.length === 0) return submitted',
    replace: 'if (edits.length >= 0) return submitted',
    test: 'test/landing-protection.test.ts',
  },
  'trust.32.ancestors': [
    {
      file: 'src/project/authority/known-step.ts',
      find: 'return { ...known, env: { ...context.env, PREMATH_STEP_ID: stepId } }',
      replace: 'return known',
      test: workTest,
    },
    {
      file: 'src/world/proc.ts',
      find: 'id = stat.parent',
      replace: 'id = 1',
      test: workTest,
    },
  ],
  'trust.32.asks': [
    {
      file: 'src/operations/change-issues.ts',
      find: 'if (isStepWork(open.project)) {',
      replace: 'if (isStepWork(open.project) && input.issues !== undefined) {',
      test: workTest,
    },
    {
      file: 'src/kernel/harness/step/step-request.ts',
      find: 'if (specs !== undefined || allowances',
      replace: 'if (allowances',
      test: workTest,
    },
    {
      file: mailbox,
      find: 'if (before) return takenOf(request, before)',
      replace: "if (before && key === '') return takenOf(request, before)",
      test: workTest,
    },
    {
      file: 'src/operations/harness/session-write.ts',
      find: 'if (inStep) return inStep',
      replace: 'if (inStep && input.path !== undefined) return inStep',
      test: workTest,
    },
    {
      file: 'src/operations/harness/feature-write.ts',
      find: 'if (inStep) return inStep',
      replace: 'if (inStep && input.path !== undefined) return inStep',
      test: workTest,
    },
    {
      file: 'src/operations/harness/stop.ts',
      find: 'if (inStep) return inStep',
      replace: 'if (inStep && keepLease) return inStep',
      test: workTest,
    },
    {
      file: 'src/operations/spec-run-once.ts',
      find: 'isStepWork(context) && !context.env[witnessVariable]',
      replace: 'false',
      test: workTest,
    },
  ],
  'trust.41.agents': [
    {
      file: 'src/project/authority/authority.ts',
      find: 'if (agent === undefined) return undefined',
      replace: 'if (agent !== undefined) return undefined',
      test: agentTest,
    },
    {
      file: onTarget,
      find: 'if (isChosen || project.env',
      replace: "if (agent === '' || project.env",
      test: agentTest,
    },
    {
      file: 'src/operations/issue/import.ts',
      find: "agentRefusal('import rows', context)",
      replace: "agentRefusal('import rows', { ...context, env: {} })",
      test: agentTest,
    },
    {
      file: 'src/operations/people-only.ts',
      find: 'agentIn(context) !== undefined',
      replace: 'false',
      test: agentTest,
    },
  ],
  'trust.41.verified-close': {
    file: 'src/project/proofs/issue-closing.ts',
    find: 'return await verifiedByHarness(issue, input, project)',
    replace: 'return (await findProof(issue, project)) ?? verifiedByHarness(issue, input, project)',
    test: agentTest,
  },
  'trust.29.agent-close': [
    {
      file: agentClose,
      find: "([name]) => !name.startsWith('PREMATH_'),",
      replace: '([name]) => name,',
      test: agentCloseTest,
    },
    {
      file: agentClose,
      find: '    PREMATH_STEP_ID: stepId,',
      replace: '',
      test: agentCloseTest,
    },
    {
      file: judgingCommit,
      find: '{ commit, target, config: configIn(text), issue }',
      replace: '{ commit, target, config, issue }',
      test: agentCloseTest,
    },
  ],
  'trust.29.close-step': [
    {
      file: 'src/kernel/proof/proof-check.ts',
      find: '.filter(one => one !== ownClose)',
      replace: ".filter(one => !String(one).startsWith(['close', issueId, ''].join('.')))",
      test: 'src/kernel/proof/proof-check.test.ts',
    },
    {
      file: 'src/kernel/proof/proof-check.ts',
      find: '.filter(one => one !== ownClose)',
      replace: '',
      test: 'src/kernel/proof/proof-check.test.ts',
    },
  ],
  'trust.30.agent-close': [
    {
      file: onTarget,
      find: "if (typeof held !== 'string' ||",
      replace: "if (String(held) !== 'none' ||",
      test: agentCloseTest,
    },
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: 'if (judging !== undefined) {',
      replace: "if (judging === 'none') {",
      test: agentCloseTest,
    },
    {
      file: judgingCommit,
      find: "if (specsOf(row).join('\\n') !== specsOf(issue).join('\\n')) {",
      replace: "if (specsOf(row).join('\\n') === '') {",
      test: agentCloseTest,
    },
    {
      file: judgingCommit,
      find: 'return { ...judging, issue: { ...issue, metadata } }',
      replace: 'return metadata ? judging : judging',
      test: agentCloseTest,
    },
    {
      file: judgingCommit,
      find: 'if (isOnDisk && (await holdsMemory(place, commit)))',
      replace: 'if (!isOnDisk && (await holdsMemory(place, commit)))',
      test: agentCloseTest,
    },
  ],
  'trust.36.terminal': [
    {
      file: 'src/harness/step/command.ts',
      find: '...(terminal === undefined ? command : inTerminal(terminal, command)),',
      replace: '...command,',
      test: terminalTest,
      named: 'talks with the person',
    },
    {
      file: 'src/kernel/sandbox/bubblewrap.ts',
      find: "...(hasTerminal ? [] : ['--new-session']),",
      replace: "'--new-session',",
      test: terminalTest,
      named: 'talks with the person',
    },
    {
      file: 'src/kernel/harness/step/terminal-command.ts',
      find: "`trap '' INT QUIT\\nexec ",
      replace: '`exec ',
      test: terminalTest,
      named: 'gets Ctrl-C',
    },
    {
      file: 'src/kernel/harness/step/terminal-command.ts',
      find: '=> `trap : INT QUIT',
      replace: '=> `:',
      test: terminalTest,
      named: 'gets Ctrl-C',
    },
    {
      file: 'src/world/node-processes.ts',
      find: 'this.#outputs.terminal?.end()',
      replace: 'this.#outputs.terminal?.restore',
      test: terminalTest,
      named: 'also if script is killed',
    },
  ],
  'trust.32.mailbox': [
    {
      file: mailbox,
      find: 'names.slice(0, requestsMax)',
      replace: 'names.slice(0, 2 * requestsMax)',
      test: workTest,
    },
    {
      file: mailbox,
      find: 'if (bytes.length > requestBytesMax) return',
      replace: 'if (bytes.length > 2 * requestBytesMax) return',
      test: workTest,
    },
    {
      file: 'src/world/node-disk.ts',
      find: 'constants.O_RDONLY | constants.O_NONBLOCK | noFollow',
      replace: 'constants.O_RDONLY | constants.O_NONBLOCK',
      test: workTest,
    },
  ],
}
