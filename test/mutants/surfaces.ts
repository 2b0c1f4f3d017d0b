/** The surfaces beside the command line. */
import type { Mutants } from './mutant.ts'

const toolsTest = 'test/mcp/tools.test.ts'
const badInputTest = 'test/mcp/bad-input.test.ts'
const queueTest = 'src/mcp/call-queue.test.ts'
const httpTest = 'test/mcp/http.test.ts'
const payloadsTest = 'test/equal-payloads.test.ts'
const programTest = 'test/program-attacks.test.ts'
const closeTest = 'test/mcp/close-queue.test.ts'
const landTest = 'test/mcp/close-landing.test.ts'
const moveTest = 'src/harness/landing/move-target.test.ts'
const callTest = 'src/operations/call.test.ts'

export const surfaceMutants: Mutants = {
  'surfaces.1.paths': {
    file: 'src/operations/call-arguments.ts',
    find: 'if (isPath(field)) await',
    replace: "if (name === 'x') await",
    test: callTest,
  },
  'surfaces.2.policy': {
    file: 'src/project/authority/authority.ts',
    find: 'const mode = modes[context.surface]',
    replace: 'const mode = modes.cli',
    test: callTest,
  },
  'surfaces.3.agents': {
    file: 'src/project/authority/authority.ts',
    find: "surface === 'mcp' ? 'an agent' : undefined",
    replace: 'surface ? undefined : undefined',
    test: callTest,
  },
  'surfaces.5.equal-payloads': [
    {
      file: 'src/operations/call.ts',
      find: 'const printed = error ? errorOutput(Object(output), error, exitCode) : output',
      replace: 'const printed = error ? errorOutput({}, error, exitCode) : output',
      test: payloadsTest,
    },
    {
      file: 'src/operations/exposed.ts',
      find: "command: 'issue claim-next' },",
      replace: "command: 'issue claim' },",
      test: payloadsTest,
    },
  ],
  'surfaces.6.equal-refusals': [
    {
      file: 'src/operations/scheme-host.ts',
      find: 'diagnostic: message, remedy: hint } = authority',
      replace:
        "diagnostic: message, action: hint = '' } = authority as typeof authority & { action?: string }",
      test: 'test/door-chain.test.ts',
    },
    {
      file: 'src/operations/call.ts',
      find: 'const printed = error ? errorOutput(Object(output), error, exitCode) : output',
      replace: 'const printed = error ? errorOutput({}, error, exitCode) : output',
      test: 'test/door-chain.test.ts',
    },
  ],
  'surfaces.7.attacks': [
    {
      file: 'src/operations/scheme-host.ts',
      find: 'if (withheld !== undefined) return refused(withheld, action)',
      replace: 'void withheld',
      test: programTest,
    },
    {
      file: 'src/operations/scheme-host.ts',
      find: "(typeof inArgs === 'string' ? inArgs : instructionRef) || env",
      replace: 'env',
      test: programTest,
    },
  ],
  'surfaces.8.projection-paths': {
    file: 'src/project/safe-output.ts',
    find: "    folder('.git', 'the files of git'),\n",
    replace: '',
    test: programTest,
  },
  'surfaces.9.pipes': {
    file: 'src/operations/call-arguments.ts',
    find: "?.kind === 'other'",
    replace: "?.kind === 'link'",
    test: 'test/mcp/pipes.test.ts',
  },
  'mcp.1.one-list': {
    file: 'src/operations/mcp-tools.ts',
    find: 'exposed.map(toolOf)',
    replace: 'exposed.slice(1).map(toolOf)',
    test: toolsTest,
  },
  'mcp.2.same-answer': {
    file: 'src/mcp/mcp-server.ts',
    find: 'const text = printJson(output)\n',
    replace: "const text = isError ? '{}' : printJson(output)\n",
    test: toolsTest,
  },
  'mcp.3.instruction': {
    file: 'src/operations/unattended.ts',
    find: "surface: 'mcp',",
    replace: "surface: 'cli',",
    test: toolsTest,
  },
  'mcp.4.cancel': [
    {
      file: 'src/operations/unattended.ts',
      find: "signal.addEventListener('abort', stop)",
      replace: 'void stop',
      test: toolsTest,
    },
    {
      file: 'src/operations/transport/scheme-eval.ts',
      find: 'onStopSignal(() => stopping.abort())',
      replace: 'onStopSignal(() => stopping.signal.aborted)',
      test: badInputTest,
    },
  ],
  'mcp.5.evidence': {
    file: 'src/project/authority/agent-authority.ts',
    find: 'accepted.askedBy(project.origin)',
    replace: 'accepted',
    test: toolsTest,
  },
  'mcp.6.step': {
    file: 'src/operations/call.ts',
    find: 'return await operation.run(input, known)',
    replace:
      "return await operation.run(input, { ...known, env: { ...known.env, PREMATH_STEP_ID: '' } })",
    test: toolsTest,
  },
  'mcp.7.http': [
    {
      file: 'src/mcp/serve-http.ts',
      find: 'if (foreign) return foreign',
      replace: 'void foreign',
      test: httpTest,
    },
    {
      file: 'src/mcp/serve-http.ts',
      find: 'token === undefined || !isToken(token)',
      replace: 'token === undefined',
      test: httpTest,
    },
  ],
  'mcp.8.hostile': {
    file: 'src/mcp/call-queue.ts',
    find: 'this.#waiting.length >= waitingMax',
    replace: 'this.#waiting.length < 0',
    test: queueTest,
  },
  'mcp.11.close-queue': [
    {
      file: 'src/operations/close-worker.ts',
      find: '    force: false,\n    commit,\n',
      replace: '    force: false,\n',
      test: closeTest,
      named: 'is queued at once',
    },
    {
      file: 'src/operations/close-request.ts',
      find: 'request.fence === fenceOf(issue) && isPending(request)',
      replace: 'request.fence < 0 && isPending(request)',
      test: closeTest,
      named: 'is queued at once',
    },
  ],
  'mcp.12.close-failed': {
    file: 'src/operations/close-worker.ts',
    find: 'lastLines: lines.slice(-shownLinesMax)',
    replace: 'lastLines: []',
    test: closeTest,
    named: 'tells class, remedy and output',
  },
  'mcp.13.close-durable': [
    {
      file: 'src/operations/close-request.ts',
      find: 'if (first) return first',
      replace: 'void first',
      test: closeTest,
      named: 'callers at the same time',
    },
    {
      file: 'src/operations/close-worker.ts',
      find: 'const isUndecided = error && (signal.aborted ||',
      replace: 'const isUndecided = error && (',
      test: closeTest,
      named: 'after SIGTERM',
    },
    {
      file: 'src/kernel/landing/close-request.ts',
      find: "state === 'queued' || state === 'verifying'",
      replace: "state === 'queued'",
      test: closeTest,
      named: 'after SIGKILL',
    },
    {
      file: 'src/operations/left-closes.ts',
      find: 'await workOffCloses(project)',
      replace: 'void workOffCloses',
      test: closeTest,
      named: 'premath harness-step',
    },
  ],
  'mcp.14.close-door': [
    {
      file: 'src/operations/close-worker.ts',
      find: 'const proof = { leaseId, fence }',
      replace: 'const proof = {}',
      test: closeTest,
      named: 'a request of an earlier claim',
    },
    {
      file: 'src/operations/close-worker.ts',
      find: 'if (isStepWork(known)) return []',
      replace: '',
      test: closeTest,
      named: 'the work of a step',
    },
    {
      file: 'src/operations/unattended.ts',
      find: "surface: 'mcp',",
      replace: "surface: 'cli',",
      test: closeTest,
      named: 'the policy is asked again',
    },
  ],
  'mcp.15.close-lands': [
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: '    if (submission.landing && submission.commit !== undefined) {',
      replace: '    if (!submission.landing && submission.commit !== undefined) {',
      test: landTest,
      named: 'is verified as it would be',
    },
    {
      file: 'src/project/closes/land-close.ts',
      find: 'if (await tracksMemory(place, target)) await',
      replace: 'if (!(await tracksMemory(place, target))) await',
      test: landTest,
      named: 'is one commit on the target',
    },
    {
      file: 'src/project/closes/land-close.ts',
      find: 'tries < triesMax; tries++',
      replace: 'tries < 1; tries++',
      test: landTest,
      named: 'if the target moves meanwhile',
    },
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: '...(this.#parts.leftOut ?? [])',
      replace: '...(this.#parts.leftOut ?? []).slice(0, 0)',
      test: 'test/mcp/close-instructed.test.ts',
      named: 'is not a part of the work',
    },
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: '.includes(id)) continue',
      replace: ".includes(id + '-')) continue",
      test: landTest,
      named: 'whose work the agent committed',
    },
    {
      file: 'src/project/closes/land-close.ts',
      find: '      await followWork(verified, here)\n',
      replace: '',
      test: landTest,
      named: 'what was reverted meanwhile',
    },
  ],
  'mcp.16.close-stays-out': [
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: 'mayStay: issue.labels.includes(noChangeLabel)',
      replace: 'mayStay: issue.labels.length >= 0',
      test: landTest,
      named: 'without work closes nothing',
    },
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: 'if (!(await issuesOf(place, commit)).includes(id)) continue',
      replace: 'await issuesOf(place, commit)',
      test: landTest,
      named: 'without work closes nothing',
    },
    {
      file: 'src/project/proofs/agent-close.ts',
      find: "if (failureClasses.includes('landing_conflict')) {",
      replace: "if (failureClasses.includes('conflict')) {",
      test: landTest,
      named: 'that conflicts with the target',
    },
    {
      file: 'src/harness/landing/follower.ts',
      find: 'work?.top !== this.#holder.path',
      replace: 'work === undefined',
      test: landTest,
      named: 'names the files of a person',
    },
  ],
  'mcp.17.close-review': [
    {
      file: 'src/project/closes/land-close.ts',
      find: "if (verified.config.land === 'branch') return await review(close, target, here)",
      replace: '',
      test: landTest,
      named: 'waits on its branch',
    },
    {
      file: 'src/project/proofs/agent-close.ts',
      find: " || config.land === 'none'",
      replace: '',
      test: landTest,
      named: 'closes without a commit',
    },
  ],
  'mcp.18.close-killed': {
    file: 'src/operations/close-worker.ts',
    find: '  await finishLandings(open, await authorityOf(open.project, input))\n',
    replace: '',
    test: landTest,
    named: 'after a kill while the target moves',
  },
  'mcp.19.close-lease': {
    file: 'src/project/proofs/agent-close.ts',
    find: '  await pulse()\n',
    replace: '',
    test: landTest,
    named: 'keeps the lease',
  },
  'landing.27.work': [
    {
      file: 'src/harness/landing/follower.ts',
      find: 'if (kept.size > 0) await this.#setEntries(',
      replace: 'if (kept.size < 0) await this.#setEntries(',
      test: moveTest,
      named: 'edits since the work was taken',
    },
    {
      file: 'src/harness/landing/follower.ts',
      find: '!differ.has(path) && isKnown',
      replace: '!differ.has(path)',
      test: moveTest,
      named: 'another staged version',
    },
    {
      file: 'src/harness/landing/follower.ts',
      find: '!differ.has(path) && isKnown',
      replace: 'isKnown',
      test: moveTest,
      named: 'another staged version',
    },
    {
      file: 'src/harness/landing/follower.ts',
      find: 'work?.top !== this.#holder.path',
      replace: 'work === undefined',
      test: moveTest,
      named: 'the files of another worktree',
    },
  ],
  'landing.27.work-kept': [
    {
      file: 'src/harness/landing/follower.ts',
      find: 'entry: before })))',
      replace: 'entry: before })).slice(0, 0))',
      test: moveTest,
      named: 'a target that does not move',
    },
    {
      file: 'src/harness/landing/follower.ts',
      find: 'if (kept.has(path)) continue',
      replace: '',
      test: moveTest,
      named: 'a kill before the target moved',
    },
  ],
  'surfaces.4.answers': [
    {
      file: 'src/operations/issue/ready.ts',
      find: "output: { action: 'issue.ready', ...counts, issuesPath, items },",
      replace: "output: { action: 'issue.ready', ...counts, issuesPath, items, more: 1 },",
      test: 'test/answers.test.ts',
    },
    {
      file: 'src/wire/answers/issue-parts.ts',
      find: 'issuesPath: about(text,',
      replace: 'issuesFile: about(text,',
      test: 'test/answers.test.ts',
    },
    {
      file: 'src/wire/answers/answer-schema.ts',
      find: "  $schema: dialect,\n  type: 'object',\n",
      replace: '  $schema: dialect,\n',
      test: 'test/answers.test.ts',
    },
  ],
  'mcp.10.bad-input': [
    {
      file: 'src/operations/scheme-run.ts',
      find: "if (isLate) return { refusal: exceeded('time'",
      replace: "if (isLate) return { refusal: exceeded('step'",
      test: badInputTest,
      named: 'by its time budget',
    },
  ],
  'mcp.9.progress': [
    {
      file: 'src/operations/mcp-host.ts',
      find: `isOver = true
    report()`,
      replace: 'isOver = true',
      test: toolsTest,
      named: 'of a spec run',
    },
    {
      file: 'src/mcp/mcp-server.ts',
      find: 'progress: sending.length + 1',
      replace: 'progress: 1',
      test: toolsTest,
      named: 'of a spec run',
    },
    {
      file: 'src/operations/mcp-host.ts',
      find: 'progress: line => progress(secrets.text(line)),',
      replace: 'progress: () => {},',
      test: toolsTest,
      named: 'for each check of an instruction',
    },
  ],
}
