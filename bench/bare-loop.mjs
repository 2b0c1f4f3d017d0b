/**
 * Runs the command for each issue, as many issues at a time as there are folders: once as the work,
 * and once as the verification, in a clean checkout of the files that the work left. Syncs what a
 * close must: a proof of three files in its own folder, and a row for claim and for close.
 */
import { spawn } from 'node:child_process'
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'

const [count, command, ...folders] = process.argv.slice(2)
let left = Number(count)
let closed = 0

const run = (program, args, cwd, env = process.env) =>
  new Promise((settle, fail) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', piece => {
      text += piece
    })
    child.on('error', fail).on('close', () => settle(text.trim()))
  })

function syncRow() {
  const rows = openSync('bare-rows.jsonl', 'a')
  writeSync(rows, 'x'.repeat(400))
  fdatasyncSync(rows)
  closeSync(rows)
}

function syncFolder(path) {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function syncProof() {
  const folder = `bare-proof-${closed++}`
  mkdirSync(folder)
  const paths = ['join', 'verify', 'chain'].map(name => `${folder}/${name}`)
  for (const path of paths) {
    const file = openSync(`${path}.tmp`, 'w')
    writeSync(file, 'x'.repeat(700))
    fsyncSync(file)
    closeSync(file)
  }
  syncFolder('.')
  for (const path of paths) renameSync(`${path}.tmp`, path)
  syncFolder(folder)
}

/** Filters of git are asked for before each command that would run them. */
const filters = ['config', '-z', '--get-regexp', '^filter']
const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']

async function work(folder) {
  const checkout = `${folder}-checkout`
  const env = { ...process.env, GIT_INDEX_FILE: `${folder}-index` }
  const git = (...args) => run('git', args, folder, env)
  const there = (...args) => run('git', args, checkout)
  await run('git', ['worktree', 'add', '--quiet', '--detach', checkout], folder)
  const tree = async () => {
    await git(...filters)
    await git(...filters)
    await git('add', '--all')
    await git(...filters)
    return await git('write-tree')
  }
  while (left-- > 0) {
    syncRow()
    await git('cat-file', '-e', 'HEAD')
    await git('read-tree', 'HEAD')
    const before = await tree()
    await git(...listing)
    await run('sh', ['-c', command], folder)
    const after = await tree()
    await git('diff-tree', '-r', '-z', before, after)
    const commit = await git('commit-tree', '-p', 'HEAD', '-m', 'work', after)
    await there('diff-tree', '--quiet', 'HEAD', commit, '--', ':(top,glob)**/.gitattributes')
    await there(...filters)
    await there('checkout', '--quiet', '--force', '--detach', commit)
    await there('clean', '-ffdxq')
    await run('sh', ['-c', command], checkout)
    await there(...filters)
    await there('status', '--porcelain=v2', '-z')
    await there(...listing)
    syncProof()
    syncRow()
  }
}

await Promise.all(folders.map(work))
