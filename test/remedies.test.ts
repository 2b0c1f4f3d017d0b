/** The inventory of remedies: every text of the sources that tells a person to run a command. */
import { expect, test } from 'vitest'
import { checkRemedies } from './remedies/checks.ts'
import { doctorRemedies } from './remedies/doctor.ts'
import { harnessRemedies } from './remedies/harness.ts'
import { instructionRemedies } from './remedies/instructions.ts'
import { issueRemedies } from './remedies/issues.ts'
import { landingRemedies } from './remedies/landing.ts'
import { notRun } from './remedies/not-run.ts'
import { projectRemedies } from './remedies/project.ts'
import { remediesIn } from './remedies/scan.ts'
import { serverRemedies } from './remedies/servers.ts'
import { stateRemedies } from './remedies/states.ts'
import { stepRemedies } from './remedies/steps.ts'
import { worktreeRemedies } from './remedies/worktrees.ts'

const shown = [
  doctorRemedies,
  issueRemedies,
  projectRemedies,
  harnessRemedies,
  landingRemedies,
  stepRemedies,
  worktreeRemedies,
  instructionRemedies,
  serverRemedies,
  checkRemedies,
  stateRemedies,
].flatMap(rows => rows.map(row => row.remedy))
const excused = Object.values(notRun).flat()
const found = remediesIn('src')

test('[memory.4.inventory] every remedy has a row that runs it, or a reason why none does', () => {
  const known = new Set([...shown, ...excused])
  expect(found.filter(({ text }) => !known.has(text))).toEqual([])
})

test('[memory.4.inventory] no row and no reason outlives its remedy', () => {
  const texts = new Set(found.map(({ text }) => text))
  expect([...shown, ...excused].filter(text => !texts.has(text))).toEqual([])
})

test('[memory.4.inventory] a remedy that a row runs needs no reason', () => {
  expect(excused.filter(text => shown.includes(text))).toEqual([])
})

test('[memory.4.inventory] every remedy of doctor has a row, but for a few', () => {
  const doctor = found.filter(({ file }) => file.startsWith('project/doctor/'))
  const without = doctor.filter(({ text }) => !shown.includes(text)).map(({ text }) => text)
  expect(without.length / doctor.length).toBeLessThan(0.25)
})
