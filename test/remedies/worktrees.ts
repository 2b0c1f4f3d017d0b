/** Remedies about linked worktrees. */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import type { Place, Row } from './remedy.ts'

/** Folders beside the project are then those of this test alone. */
const withFolderAround = (place: Place) => {
  place.project.folder = place.at('the project')
  mkdirSync(place.project.folder)
}

const repository = (place: Place) => {
  withFolderAround(place)
  place.run(
    'git init -q -b main',
    'premath init',
    'premath issue add one',
    'git add -A',
    'git commit -q -m begin',
  )
}

const withWorktree = (act: (place: Place) => void) => (place: Place) => {
  repository(place)
  place.run("git worktree add -q '../the tree' -b tree")
  act(place)
}

const work = "--work-cmd 'echo x > x' --verify-cmd 'test -d .premath'"
const loopIn = (worktree: string) =>
  `premath harness-loop coordinator --worktree '${worktree}' ${work}`

/** Git lists no worktree whose folder is gone. */
const allThere = '! git worktree list --porcelain | grep -q prunable'

export const worktreeRemedies: readonly Row[] = [
  {
    remedy: 'Restore it: git worktree repair',
    given: withWorktree(place => rmSync(place.at('../the tree/.git'))),
    ask: loopIn('../the tree'),
  },
  {
    remedy: 'Update git: git worktree repair …',
    given: withWorktree(place =>
      renameSync(place.at('../the tree'), place.at('../the moved tree')),
    ),
    ask: loopIn('../the moved tree'),
  },
  {
    remedy: 'Create one with git worktree add.',
    given: place => {
      repository(place)
      mkdirSync(place.at('../plain'))
    },
    ask: loopIn('../plain'),
    completes: { 'git worktree add': 'git worktree add -q ../plain -b plain' },
  },
  {
    remedy: 'Pass a worktree of …. List them with git worktree list.',
    given: withWorktree(place => place.run('git init -q ../other')),
    ask: loopIn('../other'),
    shows: /the tree/,
  },
  {
    remedy: 'Pass the top folder of a worktree. List them with git worktree list.',
    given: withWorktree(() => {}),
    ask: loopIn('../a tree'),
    shows: /the tree/,
  },
  {
    remedy: 'Pass the top folder. If its .git file is missing or another, run git worktree repair.',
    // In a worktree on another branch than the target, a run writes the file again.
    given: place => {
      repository(place)
      place.run('git init -q ../other', 'git checkout -q -b mine')
      place.run("git worktree add -q '../the tree' main")
      place.write('../the tree/.git', `gitdir: ${place.at('../other/.git')}\n`)
    },
    ask: `${loopIn('../the tree')} --onto main`,
  },
  {
    remedy:
      'Restore it with git worktree repair or git worktree add, or forget it with git worktree prune.',
    given: withWorktree(() => {}),
    ask: `premath harness-loop coordinator --worktree '../the tree' --work-cmd 'cd .. && mv the?tree moved' --verify-cmd 'test -d .premath'`,
    completes: {
      'git worktree repair': 'git worktree repair ../moved',
      'git worktree add': "git worktree add -q -f '../the tree' tree",
    },
    works: allThere,
  },
  {
    remedy: 'Start it in the main worktree, which git worktree list shows first.…',
    given: withWorktree(place => {
      place.cwd = place.at('../the tree')
    }),
    ask: `premath run ${work}`,
    printed: /Start it in the main worktree, which git worktree list shows first\./,
    shows: /^\S+[^[]*the project [0-9a-f]+ \[main\]/,
  },
  {
    remedy:
      'Pass --worktree, or create some with --create-worktrees 2. A single worker needs none: premath harness-loop worker.',
    given: repository,
    ask: `premath harness-loop coordinator ${work}`,
    completes: { 'premath harness-loop worker': `premath harness-loop worker ${work}` },
    works: 'test -f x',
  },
  {
    remedy: 'Remove unused worktrees. List them with git worktree list.',
    given: place => {
      repository(place)
      // As git keeps worktrees whose long paths are gone.
      const path = Array.from({ length: 16 }, () => 'x'.repeat(240)).join('/')
      for (let number = 0; number < 280; number++) {
        const folder = `.git/worktrees/w${number}`
        place.write(`${folder}/gitdir`, `/${path}/${number}/.git\n`)
        place.write(`${folder}/commondir`, '../..\n')
        place.write(`${folder}/HEAD`, 'ref: refs/heads/main\n')
      }
    },
    ask: `premath harness-loop coordinator --create-worktrees 1 ${work}`,
    shows: /x{240}.* prunable/,
  },
  {
    remedy: 'Run git worktree repair in the main worktree, or set PREMATH_ROOT to the project.',
    given: withWorktree(place => {
      renameSync(place.project.folder, place.at('../the moved project'))
      place.cwd = place.at('../the tree')
    }),
    ask: 'premath issue show bd-1',
    completes: { 'git worktree repair': "git -C '../the moved project' worktree repair" },
  },
  {
    remedy: 'Make a project for all its worktrees: premath init …, or set PREMATH_ROOT.',
    given: withWorktree(place => {
      place.run("git clone -q --bare . '../bare/it.git'")
      place.run("git -C ../bare/it.git worktree add -q '../of bare' -b bare")
      place.cwd = place.at('../bare/of bare')
      rmSync(`${place.cwd}/.premath`, { recursive: true })
    }),
    ask: 'premath issue list',
  },
]
