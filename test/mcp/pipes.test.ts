/** Arguments that name a pipe: whoever opens one waits for its writer. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { aProject } from '../a-project.ts'
import { allEras, connected } from './a-client.ts'

const project = aProject()
beforeEach(() => {
  project.done('init')
  execFileSync('mkfifo', [join(project.folder, 'pipe.json')])
  execFileSync('ln', ['-s', 'pipe.json', join(project.folder, 'link.json')])
})

test.each(allEras)(
  '[surfaces.9.pipes] of %s are refused, and the next call is answered',
  async era => {
    const { call, close } = await connected({ cwd: project.folder, env: project.env }, era)
    try {
      for (const [name, args] of [
        ['harness_join_check', { input: 'pipe.json' }],
        ['harness_join_check', { input: 'link.json' }],
        ['scheme_eval', { program: 'pipe.json' }],
        ['scheme_eval', { expression: '1', replay: 'pipe.json' }],
        ['observe_latest', { surfacePath: 'pipe.json' }],
        ['required_projection', { input: 'pipe.json' }],
        ['instruction_check', { instructionPath: 'pipe.json' }],
        ['spec_run', { path: ['pipe.json'] }],
        ['issue_add', { title: 'x', notesFile: 'pipe.json' }],
      ] as const) {
        const { isError, json } = await call(name, args)
        expect([name, isError, json.error.code]).toEqual([name, true, 'usage'])
        expect(json.error.message).toMatch(/which is a device or a pipe$/)
      }
      expect((await call('issue_ready')).isError).toBe(false)
    } finally {
      await close()
    }
  },
)
