/**
 * Lands issues with the git commands that a landing needs, and syncs what a close must. It decides
 * nothing, keeps no lease, and could not go on after a kill.
 */
import { spawn } from 'node:child_process'
import { closeSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'

const [count, workers] = process.argv.slice(2).map(Number)
const top = process.cwd()
let left = count

const run = (command, cwd, input) =>
  new Promise((settle, fail) => {
    const stdin = input === undefined ? 'ignore' : 'pipe'
    const child = spawn(command[0], command.slice(1), { cwd, stdio: [stdin, 'pipe', 'ignore'] })
    let text = ''
    child.stdout.on('data', piece => {
      text += piece
    })
    child.on('error', fail).on('close', () => settle(text.trim()))
    child.stdin?.end(input)
  })
const git = (cwd, ...args) => run(['git', ...args], cwd)

/** One at a time, in the order of the calls. */
function inOrder() {
  let last = Promise.resolve()
  return act => {
    last = last.then(act, act)
    return last
  }
}
const landing = inOrder()

function sync(path, text) {
  const file = openSync(path, 'a')
  writeSync(file, text)
  fdatasyncSync(file)
  closeSync(file)
}

function syncProof(id) {
  mkdirSync(`bare/${id}`)
  for (const name of ['join', 'verify', 'chain']) sync(`bare/${id}/${name}`, 'x'.repeat(700))
  const folder = openSync(`bare/${id}`, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Filters of git are asked for before each command that would run them. */
const filters = cwd => git(cwd, 'config', '-z', '--get-regexp', '^filter')

async function filtered(cwd, ...args) {
  await filters(cwd)
  return await git(cwd, ...args)
}

const attributes = ['--', ':(top,glob)**/.gitattributes']
const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']

/** Makes, verifies and lands the commit of an issue. */
async function land(id, work, verification) {
  const base = await git(top, 'rev-parse', 'refs/heads/main')
  await filters(top)
  await filtered(top, 'diff', '--name-only', '-z', `refs/heads/main...${work}`, '--', '.premath')
  const tree = (await git(top, 'merge-tree', '--write-tree', base, work)).split('\n')[0]
  await git(top, 'diff-tree', '-z', '--name-only', base, tree)
  await git(top, 'diff-tree', '-r', '-z', '--raw', base, tree)
  await git(top, 'ls-tree', '-r', '-z', '--name-only', base)
  const commit = await run(['git', 'commit-tree', '-p', base, '-F', '-', tree], top, id)
  await git(top, 'update-ref', `refs/bare/candidates/${id}`, commit)
  await git(top, 'ls-tree', '-z', commit)
  await git(verification, 'diff-tree', '--quiet', 'HEAD', commit, ...attributes)
  await filtered(verification, 'checkout', '-q', '--force', '--detach', commit)
  await git(verification, 'clean', '-ffdxq')
  await run(['sh', '-c', 'true'], verification)
  await filtered(verification, 'status', '--porcelain=v2', '-z', '--untracked-files=normal')
  await git(verification, ...listing)
  syncProof(id)
  sync('bare/rows', 'x'.repeat(400))
  await git(top, 'worktree', 'list', '--porcelain', '-z')
  await filtered(top, 'update-index', '-q', '--refresh')
  await git(top, 'diff-tree', '-r', '-z', '--name-status', base, commit)
  await filters(top)
  await filters(top)
  await filtered(top, 'diff-files', '--name-only', '-z')
  await git(top, 'diff-index', '--cached', '--name-only', '-z', base)
  await filtered(top, 'read-tree', '-n', '-m', '-u', base, commit)
  await filtered(top, 'read-tree', '-m', '-u', base, commit)
  await git(top, 'update-ref', 'refs/heads/main', commit, base)
  sync('bare/rows', 'x'.repeat(400))
  await git(top, 'for-each-ref', `refs/bare/candidates/${id}`)
  await git(top, 'worktree', 'list', '--porcelain', '-z')
}

async function worker(folder, verification) {
  while (left > 0) {
    const id = `bd-${left--}`
    sync('bare/rows', 'x'.repeat(400))
    await git(folder, 'rev-parse', 'refs/heads/main')
    await git(folder, 'cat-file', '-e', 'refs/heads/main')
    await git(folder, 'diff-tree', '--quiet', 'HEAD', 'main', ...attributes)
    await filtered(folder, 'checkout', '-q', '--force', '-B', `bare/${id}`, 'main')
    await git(folder, 'clean', '-ffdxq')
    await git(folder, ...listing)
    await run(['sh', '-c', `echo ${id} > ${id}.txt`], folder)
    await filtered(folder, 'diff', '--name-only', '--diff-filter=U', '-z')
    await filters(folder)
    await filtered(folder, 'add', '--all')
    await filtered(folder, 'diff', '--cached', '--quiet')
    await filtered(folder, 'commit', '-q', '--no-verify', '-m', id)
    const work = await git(folder, 'rev-parse', 'HEAD')
    await landing(() => land(id, work, verification))
    await filtered(folder, 'checkout', '-q', '--detach')
    await git(top, 'update-ref', '-d', `refs/heads/bare/${id}`)
  }
}

mkdirSync('bare')
const folders = Array.from({ length: workers }, (_, at) =>
  resolve('..', `bare-${process.pid}-${at}`),
)
const verification = resolve('..', `bare-${process.pid}-verify`)
for (const folder of [...folders, verification]) {
  await git(top, 'worktree', 'add', '-q', '--detach', folder)
}
await Promise.all(folders.map(folder => worker(folder, verification)))
for (const folder of [...folders, verification]) {
  await git(top, 'worktree', 'remove', '--force', folder)
}
