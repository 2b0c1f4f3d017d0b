/** Where the payloads of steps go: shown and kept, to a command only, or nowhere. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aLoop, linesIn } from './a-loop.ts'
import { bound, evidence } from './a-turn.ts'
import { envelope, testPolicy } from './an-instruction.ts'

const loop = aLoop()
const { asked, at, project } = loop

type Mode = 'dashboard' | 'internal_processor' | 'disabled'

/** One word for each place where a payload comes from. */
const words = ['bodyword', 'workword', 'verifyword', 'toolword']

/** Beside the project, so that only premath can bring the words into it. */
let outside = ''
const toOutside = (name: string) => join(outside, name)
const fromOutside = (name: string) => readFileSync(toOutside(name), 'utf8')

/** Prints, leaves a turn, and fails before the second attempt. */
const work = [
  'cat "$OUTSIDE/work.txt" >&2',
  'cat "$OUTSIDE/turn.json" >> "$PREMATH_TURN_EVIDENCE"',
  'grep -q "about body.ord" "$PREMATH_ISSUE_FILE" || exit 9',
  '[ -z "$PREMATH_FEEDBACK_FILE" ] || cp "$PREMATH_FEEDBACK_FILE" "$OUTSIDE/feedback.txt"',
  'echo done > "$PREMATH_ISSUE_ID.txt"',
].join('; ')
const verify =
  'cat "$OUTSIDE/verify.txt"; [ -e "$OUTSIDE/passes" ] || { touch "$OUTSIDE/passes"; exit 1; }'
const processor = 'cat >> "$OUTSIDE/payloads.jsonl"'

const turnWith = (more: object = {}) => ({
  evidence: evidence(['tc-1'], {
    ...bound(more),
    toolRequests: [{ toolCallId: 'tc-1', toolName: 'fs.read', arguments: { path: 'toolword' } }],
  }),
})

function begin(mode: Mode, command = processor): void {
  outside = mkdtempSync(join(project.folders, 'outside '))
  loop.repository()
  writeFileSync(toOutside('work.txt'), 'says workword\n')
  writeFileSync(toOutside('verify.txt'), 'says verifyword\n')
  writeFileSync(toOutside('turn.json'), `${JSON.stringify(turnWith())}\n`)
  loop.add('First', '--description', 'about bodyword')
  const harness = { observabilityMode: mode }
  const policy = { schema: 1, surfaces: { cli: { mode: 'open' } }, harness }
  writeFileSync(at('.premath/policy.json'), JSON.stringify(policy))
  if (mode === 'internal_processor') loop.done('config', 'set', 'processorCommand', command)
}

const commands = (workCommand = work) => ['--work-cmd', workCommand, '--verify-cmd', verify]
const setup = () => ({ env: { OUTSIDE: outside } })
const step = (workCommand?: string, ...more: readonly string[]) =>
  asked(['harness-step', ...commands(workCommand), ...more], setup())

const issueMemory = ['.premath/issues.jsonl', '.premath/memory/events.jsonl']

/** Each file with one of the words, but for the rows of the issue itself. */
function filesWithWords(): readonly string[] {
  const files = ['.premath', 'artifacts'].flatMap(folder =>
    readdirSync(at(folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name)),
  )
  return files
    .filter(path => words.some(word => readFileSync(path, 'latin1').includes(word)))
    .map(path => path.slice(project.folder.length + 1))
    .filter(path => !issueMemory.includes(path))
    .toSorted()
}

const wordsIn = (text: string) => words.filter(word => text.includes(word))
const folderOf = (attempt: number) => `artifacts/steps/worker.bd-1.1.${attempt}`
const record = (attempt: number) =>
  JSON.parse(readFileSync(at(`${folderOf(attempt)}/record.json`), 'utf8'))

describe('dashboard', () => {
  test('keeps outputs, inputs and turns in the folder of the step', () => {
    begin('dashboard')
    expect(step().status).toBe(0)
    const kept = filesWithWords().map(path => path.slice(path.lastIndexOf('/') + 1))
    expect(kept).toEqual(
      expect.arrayContaining(['issue.json', 'work.stderr', 'verify.stdout', 'evidence.ndjson']),
    )
    expect(record(1)).not.toHaveProperty('observabilityMode')
  })

  test('[payloads.3.turn] does not keep turns that ask for it', () => {
    begin('dashboard')
    const turns = [turnWith(), turnWith({ observabilityMode: 'disabled' })]
    writeFileSync(toOutside('turn.json'), turns.map(turn => `${JSON.stringify(turn)}\n`).join(''))
    expect(step().status).toBe(0)
    expect(filesWithWords().filter(path => path.includes('evidence'))).toEqual([])
    expect(filesWithWords()).toContain(`${folderOf(2)}/work.stderr`)
    expect(record(2).evidence).toMatchObject({ turns: 2, observabilityMode: 'disabled' })
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[payloads.3.turn] finds such turns of a step that was killed', () => {
    begin('dashboard')
    const turn = turnWith({ observabilityMode: 'disabled' })
    writeFileSync(toOutside('turn.json'), `${JSON.stringify(turn)}\n`)
    loop.premath(['harness-step', ...commands(`${work}; kill -9 $PPID; sleep 60`)], {
      ...setup(),
      isSpawned: true,
    })
    expect(existsSync(at(`${folderOf(1)}/evidence.ndjson`))).toBe(true)
    expect(asked(['harness-boot']).status).toBe(0)
    expect(existsSync(at(`${folderOf(1)}/evidence.ndjson`))).toBe(false)
  })
})

describe('disabled', () => {
  test('[payloads.1.disabled] keeps no payload of a step, and its close verifies', () => {
    begin('disabled')
    const { status, json, stderr } = step()
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) })
    expect(json.attempts).toHaveLength(2)
    expect(wordsIn(JSON.stringify(json) + stderr)).toEqual([])
    expect(filesWithWords()).toEqual([])
    expect(record(2)).toMatchObject({
      observabilityMode: 'disabled',
      evidence: { turns: 1, sha256: expect.stringMatching(/^sha256:/) },
      commands: [
        { role: 'work', exitCode: 0, outputBytes: 14, outputDigest: expect.any(String) },
        { role: 'verify', exitCode: 0, outputBytes: 16 },
      ],
    })
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
    expect(asked(['doctor']).status).toBe(0)
  })

  test('[payloads.1.disabled] gives a retry its feedback even so', () => {
    begin('disabled')
    step()
    expect(wordsIn(fromOutside('feedback.txt'))).toEqual(['verifyword'])
  })

  test('[payloads.1.disabled] keeps no payload of a loop, nor of a run that lands', () => {
    begin('disabled')
    expect(loop.worker(commands(), setup()).status).toBe(0)
    loop.add('Second', '--description', 'about bodyword')
    loop.git('add', '--all')
    loop.git('commit', '--quiet', '--message', 'Before the run')
    const run = loop.premath(['run', '--workers', '1', ...commands(), '--json'], setup())
    expect({ status: run.status, said: wordsIn(run.stdout + run.stderr) }).toEqual({
      status: 0,
      said: [],
    })
    expect(loop.statuses()).toEqual(['closed', 'closed'])
    expect(filesWithWords()).toEqual([])
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[payloads.1.disabled] keeps none in the sandbox, where turns are in the mailbox', () => {
    begin('disabled')
    // The sandbox hides most of what is beside the project.
    outside = project.folder
    writeFileSync(at('turn.json'), `${JSON.stringify(turnWith())}\n`)
    const sandboxed = 'cat turn.json >> "$PREMATH_TURN_EVIDENCE"; cat turn.json; echo a > a.txt'
    const args = ['--work-cmd', sandboxed, '--verify-cmd', 'cat turn.json', '--sandbox', 'auto']
    expect(asked(['harness-step', ...args]).status).toBe(0)
    expect(filesWithWords()).toEqual([])
    expect(record(1).evidence.turns).toBe(1)
  })

  test('[payloads.1.disabled] says nothing of what a rejected turn contains', () => {
    begin('disabled')
    writeFileSync(toOutside('turn.json'), 'toolword is not a turn\n')
    const { status, json } = step()
    expect(status).toBe(1)
    expect(wordsIn(JSON.stringify(json))).toEqual([])
    expect(filesWithWords()).toEqual([])
  })

  test('[payloads.1.disabled] keeps no texts that the work asked to write', () => {
    begin('disabled')
    writeFileSync(toOutside('passes'), '')
    const request = {
      schema: 1,
      requestKind: 'premath.harness.step_request.v1',
      action: 'issue.comment',
      id: 'bd-1',
      text: 'workword',
    }
    writeFileSync(toOutside('request.json'), JSON.stringify(request))
    const mailbox = '"$(dirname "$PREMATH_ISSUE_FILE")/mailbox"'
    step(`cp "$OUTSIDE/request.json" ${mailbox}/1.json; echo done > a.txt`)
    expect(JSON.stringify(loop.show('bd-1'))).toContain('workword')
    expect(filesWithWords()).toEqual([])
  })

  test('[payloads.2.killed] removes at the next start what a killed step left', () => {
    begin('disabled')
    const killing = `${work}; kill -9 $PPID; sleep 60`
    loop.premath(['harness-step', ...commands(killing)], { ...setup(), isSpawned: true })
    expect(filesWithWords()).toEqual(
      ['evidence.ndjson', 'issue.json'].map(name => `${folderOf(1)}/${name}`),
    )
    expect(asked(['harness-boot']).status).toBe(0)
    expect(filesWithWords()).toEqual([])
    writeFileSync(toOutside('passes'), '')
    expect(step().status).toBe(0)
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[payloads.1.disabled] keeps no output of a start-up command', () => {
    begin('disabled')
    const boot = asked(
      ['harness-boot', '--startup-cmd', 'cat "$OUTSIDE/work.txt"; exit 1'],
      setup(),
    )
    expect(boot.status).toBe(1)
    expect(JSON.stringify(boot.json)).not.toContain('output is in')
    expect(filesWithWords()).toEqual([])
  })
})

describe('internal_processor', () => {
  const payloads = () => linesIn(fromOutside('payloads.jsonl'))

  test('[payloads.4.processor] hands each payload to the command, and keeps none', () => {
    begin('internal_processor')
    const { status, json } = step()
    expect(status).toBe(0)
    expect(wordsIn(JSON.stringify(json))).toEqual([])
    expect(filesWithWords()).toEqual([])
    const named = (name: string) => payloads().filter(one => one.name === name)
    expect(named('work.stderr')).toHaveLength(2)
    expect(named('verify.stdout')[0]).toEqual({
      schema: 1,
      payloadKind: 'premath.harness.payload.v1',
      source: 'worker.bd-1.1.1',
      name: 'verify.stdout',
      bytes: 16,
      sha256: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      truncated: false,
      text: 'says verifyword\n',
    })
    expect(wordsIn(named('evidence.ndjson')[0].text)).toEqual(['toolword'])
    expect(wordsIn(named('issue.json')[0].text)).toEqual(['bodyword'])
    expect(wordsIn(named('feedback.txt')[0].text)).toEqual(['verifyword'])
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[payloads.4.processor] hands over the end of a long payload', () => {
    begin('internal_processor')
    writeFileSync(toOutside('work.txt'), `${'x'.repeat(1_500_000)}\nworkword\n`)
    expect(step().status).toBe(0)
    const [first] = payloads().filter(one => one.name === 'work.stderr')
    expect(first).toMatchObject({ bytes: 1_500_010, truncated: true })
    expect(first.text).toHaveLength(1024 * 1024)
    expect(first.text.endsWith('workword\n')).toBe(true)
  })

  test('[payloads.5.processor-failure] is one line for each payload, and nothing is kept', () => {
    begin('internal_processor', 'cat >&2; exit 7')
    const { status, stderr } = step()
    expect(status).toBe(0)
    const lines = stderr.split('\n').filter(line => line.includes('was dropped'))
    expect(lines).toContain(
      'work.stderr of worker.bd-1.1.1 was dropped: the processor command failed (exit 7)',
    )
    expect(wordsIn(stderr)).toEqual([])
    expect(filesWithWords()).toEqual([])
  })

  test('[payloads.5.processor-failure] begins no step without a command', () => {
    begin('internal_processor')
    writeFileSync(at('.premath/config.json'), '{}')
    const { status, json } = step()
    expect({ status, hint: json.error.hint }).toEqual({
      status: 2,
      hint: expect.stringContaining('premath config set processorCommand'),
    })
    expect(loop.show('bd-1').status).toBe('open')
  })

  test('[payloads.4.processor] gets the output of the checks of an instruction', () => {
    begin('internal_processor')
    mkdirSync(at('policies/instruction'), { recursive: true })
    mkdirSync(at('instructions'))
    const put = (path: string, value: object) => writeFileSync(at(path), JSON.stringify(value))
    const checks = { 'hk-check': 'cat "$OUTSIDE/verify.txt"' }
    put('.premath/checks.json', { schema: 1, checksKind: 'premath.checks.v1', checks })
    put('policies/instruction/test.json', testPolicy)
    put('instructions/20260222T010000Z-a.json', envelope)
    const given = 'instructions/20260222T010000Z-a.json'
    expect(asked(['instruction-run', '--instruction', given], setup()).status).toBe(0)
    expect(payloads()).toMatchObject([
      { source: '20260222T010000Z-a', name: 'hk-check.stdout', text: 'says verifyword\n' },
    ])
    expect(filesWithWords()).toEqual([])
  })
})
