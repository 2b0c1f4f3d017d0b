/** A project with a policy and instructions, and the built command in it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { aProject, type Setup } from './a-project.ts'
import { testPolicy } from './an-instruction.ts'

export const id = '20260221T000000Z-wiring'
export const instructionPath = `instructions/${id}.json`
export const witnessPath = `artifacts/ciwitness/${id}.json`

export function anInstructionProject() {
  const project = aProject()
  const pathOf = (path: string) => join(project.folder, path)

  /** Writes a file of the project: text unchanged, any other value as JSON. */
  const put = (path: string, content: unknown) => {
    mkdirSync(dirname(pathOf(path)), { recursive: true })
    writeFileSync(pathOf(path), typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const has = (path: string) => existsSync(pathOf(path))
  const json = (path: string) => JSON.parse(readFileSync(pathOf(path), 'utf8'))
  const text = (path: string) => readFileSync(pathOf(path), 'utf8')

  const begin = () => {
    mkdirSync(pathOf('.premath'))
    put('policies/instruction/test-v1.json', testPolicy)
  }

  /** The exit code, class and diagnostic of a refusal. Checks that stderr ends with the class. */
  const refusal = (args: readonly string[], setup?: Setup) => {
    const { status, stderr, json: answer } = project.asked(args, setup)
    const lastLine = stderr.trimEnd().split('\n').at(-1) ?? ''
    expect(answer).toMatchObject({ result: 'rejected', failureClasses: [expect.any(String)] })
    expect(lastLine).toMatch(new RegExp(`^${answer.failureClasses[0]}: \\S`))
    return [status, answer.failureClasses[0], answer.diagnostic]
  }

  return { project, begin, put, has, json, text, pathOf, refusal }
}
