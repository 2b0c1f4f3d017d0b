import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { describeFiles } from '../testing/files.contract.ts'
import { simWorld } from '../testing/sim-world.ts'
import { nodeWorld } from './node-world.ts'

const root = mkdtempSync(join(tmpdir(), 'premath-world-'))
afterAll(() => rmSync(root, { recursive: true }))

mkdirSync(join(root, 'b/a'), { recursive: true })
writeFileSync(join(root, 'a.txt'), 'one ✓')
writeFileSync(join(root, 'b/c.txt'), '')
writeFileSync(join(root, 'b/a/x'), '')

const { files, sha256, startTimer } = nodeWorld()

describeFiles('the machine', files, root)
describeFiles(
  'the simulated world',
  simWorld({ files: { '/r/a.txt': 'one ✓', '/r/b/c.txt': '', '/r/b/a/x': '' } }).files,
  '/r',
)

test('a path that a terminal would obey is printed escaped', async () => {
  await expect(files.read('\u001b[2J')).rejects.toThrow('"\\u001b[2J"')
})

test('a timer counts work that ended before its first reading', () => {
  const elapsed = startTimer()
  const [began, used] = [performance.now(), process.cpuUsage()]
  const ranMs = () => process.cpuUsage(used).user / 1000
  while (performance.now() - began < 50 || ranMs() < 50);
  // A timer may count up to 5 ms too little.
  expect(elapsed()).toBeGreaterThanOrEqual(45)
})

test('a path with a null byte is bad input', async () => {
  await expect(files.read('a\0b')).rejects.toMatchObject({ code: 'invalid_input' })
})

test('a file in place of a folder is bad input, with a remedy', async () => {
  const fault = { code: 'invalid_input', hint: expect.stringContaining('Check the path') }
  await expect(files.list(join(root, 'a.txt'))).rejects.toMatchObject(fault)
  await expect(files.read(join(root, 'a.txt/x'))).rejects.toMatchObject(fault)
})

test('a symbolic link to itself is bad input', async () => {
  symlinkSync('loop', join(root, 'loop'))
  await expect(files.read(join(root, 'loop'))).rejects.toMatchObject({ code: 'invalid_input' })
})

test('a large file comes in bounded chunks that add up', async () => {
  const path = join(root, 'large')
  writeFileSync(path, 'x'.repeat(200_000))
  let bytes = 0
  for await (const chunk of files.stream(path)) {
    expect(chunk.length).toBeLessThanOrEqual(64 * 1024)
    bytes += chunk.length
  }
  expect(bytes).toBe(200_000)
})

test('both worlds compute the same hash for texts of any length and number', () => {
  expect(sha256('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c')
  const texts = ['é'.repeat(30_000), ...Array.from({ length: 200 }, (_, n) => `text ${n}`)]
  for (const text of texts) expect(sha256(text)).toBe(simWorld().sha256(text))
})

test('a sleep is never shorter than requested, by the clock of the same world', async () => {
  const began = process.hrtime.bigint()
  await nodeWorld().clock.sleep(20)
  expect(process.hrtime.bigint() - began).toBeGreaterThanOrEqual(20_000_000n)

  const { clock } = simWorld()
  const before = clock.now()
  await clock.sleep(3_600_000)
  expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000_000_000n)
})
