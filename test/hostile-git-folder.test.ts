/** Work that replaces the `.git` of its worktree, or objects of the repository, without a sandbox. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventsIn, LandingProject } from './a-landing-project.ts'

let project: LandingProject
let evil = ''

beforeEach(() => {
  project = new LandingProject('hostile git')
  evil = join(project.folder, 'evil')
  mkdirSync(evil)
})

afterEach(() => project.remove())

const git = (...args: readonly string[]) => project.git('-C', project.root, ...args)
const marked = () => existsSync(join(project.folder, 'mark'))

/** A repository of the work: with its own commit, and programs that leave a mark. */
const evilRepository = () => `
mark='${join(project.folder, 'mark')}'
export GIT_AUTHOR_NAME=e GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=e GIT_COMMITTER_EMAIL=e
git init -q -b premath/a '${evil}/repo'
echo planted > '${evil}/repo/planted.txt'
git -C '${evil}/repo' add planted.txt
git -C '${evil}/repo' commit -q -m planted
mkdir -p '${evil}/repo/.git/hooks'
for hook in post-checkout post-commit pre-commit reference-transaction; do
  printf '#!/bin/sh\\ntouch "%s"\\n' "$mark" > '${evil}/repo/.git/hooks/'$hook
  chmod +x '${evil}/repo/.git/hooks/'$hook
done
git -C '${evil}/repo' config core.fsmonitor "touch '$mark'; false"
git -C '${evil}/repo' config filter.evil.clean "touch '$mark'; cat"
`

async function run(work: string, verify = 'test -f own.txt') {
  project.issues({ a: [] })
  const script = project.script('work', `#!/bin/sh\nset -e\n${work}\n`)
  const commands = ['--work-cmd', script, '--verify-cmd', verify, '--no-baseline']
  const args = ['run', '--workers', '1', '--sandbox', 'off', ...commands, '--json']
  const { status, stdout } = await project.start(args).ended
  return { status, events: eventsIn(stdout) }
}

/** The work landed from the repository of the project, and nothing of the other one did. */
function expectOwnLanding() {
  expect(project.landed().map(({ issueId }) => issueId)).toEqual(['a'])
  const files = git('ls-tree', '-r', '--name-only', 'main').split('\n')
  expect(files).toContain('own.txt')
  expect(files).not.toContain('planted.txt')
  expect(git('log', '--format=%s', 'main')).not.toContain('planted')
  expect(git('fsck', '--connectivity-only')).not.toMatch(/missing|broken/)
  expect(marked()).toBe(false)
  expect(project.leftovers()).toEqual([])
}

describe('work that replaces its .git', () => {
  test('[git.1.explicit-folder] by a file that leads to a repository which names the worktree', async () => {
    const { status } = await run(`${evilRepository()}
echo own > own.txt
printf '%s/.git\\n' "$PWD" > '${evil}/repo/.git/gitdir'
rm .git
echo 'gitdir: ${evil}/repo/.git' > .git
`)
    expect(status).toBe(0)
    expectOwnLanding()
  })

  test('[git.1.explicit-folder] by a folder of its own', async () => {
    const { status } = await run(`${evilRepository()}
echo own > own.txt
rm .git
cp -r '${evil}/repo/.git' .git
`)
    expect(status).toBe(0)
    expectOwnLanding()
  })

  test('[git.1.explicit-folder] in the worktree in which its code is verified', async () => {
    const verify = 'for code in code*; do sh "$code" || exit 1; done; test -f own.txt'
    const work = `${evilRepository()}
echo own > own.txt
cat > code <<'END'
printf '%s/.git\\n' "$PWD" > '${evil}/repo/.git/gitdir'
rm .git
echo 'gitdir: ${evil}/repo/.git' > .git
END
`
    const { status } = await run(work, verify)
    expect(status).toBe(0)
    expectOwnLanding()
    expect(existsSync(`${evil}/repo/.git/gitdir`)).toBe(true)
  })

  test('[git.1.explicit-folder] by a link to the git folder of the evil repository', async () => {
    const { status } = await run(`${evilRepository()}
echo own > own.txt
printf '%s/.git\\n' "$PWD" > '${evil}/repo/.git/gitdir'
rm .git
ln -s '${evil}/repo/.git' .git
`)
    expect(status).toBe(0)
    expectOwnLanding()
  })

  test('[git.1.explicit-folder] by a file that leads to the git folder of another worktree', async () => {
    git('worktree', 'add', '--quiet', '-b', 'person', join(project.folder, 'person'))
    const before = git('rev-parse', 'person')
    const { status } = await run(`echo own > own.txt
rm .git
echo "gitdir: $(cat '${join(project.folder, 'person')}/.git' | cut -d' ' -f2)" > .git
`)
    expect(status).toBe(0)
    expect(git('rev-parse', 'person')).toBe(before)
    git('worktree', 'remove', join(project.folder, 'person'))
    expectOwnLanding()
  })
})

describe('work that replaces objects', () => {
  test('[git.2.no-replace] a replaced commit, tree or parent does not land', async () => {
    const base = git('rev-parse', 'main')
    const { status } = await run(`echo own > own.txt
export GIT_AUTHOR_NAME=e GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=e GIT_COMMITTER_EMAIL=e
echo planted > planted.txt
blob=$(git hash-object -w planted.txt); rm planted.txt
tree=$(printf '100644 blob %s\\tplanted.txt\\n' "$blob" | git mktree)
commit=$(git commit-tree -m planted "$tree")
git update-ref "refs/replace/$(git rev-parse main)" "$commit"
git update-ref "refs/replace/$(git --no-replace-objects rev-parse 'main^{tree}')" "$tree"
echo "$(git rev-parse main) $commit" > "$(git rev-parse --git-common-dir)/info/grafts" || true
`)
    expect(status).toBe(0)
    const plain = (...args: readonly string[]) =>
      project.git(
        '--no-replace-objects',
        '-C',
        project.root,
        '-c',
        'advice.graftFileDeprecated=false',
        ...args,
      )
    const files = plain('ls-tree', '-r', '--name-only', 'main').split('\n')
    expect(files).toEqual(expect.arrayContaining(['own.txt', 'list.txt']))
    expect(files).not.toContain('planted.txt')
    const [landed] = project.landed()
    expect(plain('cat-file', '-p', landed?.id ?? '').match(/^parent .*$/gm)).toEqual([
      `parent ${base.trim()}`,
    ])
    expect(readFileSync(project.at('own.txt'), 'utf8')).toBe('own\n')
  })
})
