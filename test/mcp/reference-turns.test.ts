/** Cases of an earlier server about the turn behind a change, driven over stdio. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { id } from '../an-instruction-project.ts'
import { aDoor, under } from '../mutation-surfaces.ts'
import { fewOf } from '../sim/seeded.ts'
import { allEras, type Connected, connected } from './a-client.ts'

const { project, put, json, worked, leaseOf } = aDoor()

describe.each(fewOf(allEras))('over %s', era => {
  let server: Connected
  const update = async (more: object = {}) => {
    const args = { id: 'bd-1', title: 'Say yes twice', instructionId: id, ...leaseOf(), ...more }
    return (await server.call('issue_update', args)).json
  }

  beforeEach(async () => {
    server = await connected({ cwd: project.folder, env: project.env }, era)
  })
  afterEach(async () => await server.close())

  test('an update passes with a turn that is closed, and its answer names the turn', async () => {
    const { joined } = worked()
    const answer = await update()
    expect(answer.issue.title).toBe('Say yes twice')
    expect(answer.writeWitness.instruction).toMatchObject({
      ...{ instructionId: id, joinClosed: true, joinWitnessRef: joined.json.joinWitnessRef },
    })
  })

  // The earlier server named the file of the turn. Here the error names the call in it.
  test('a turn with a result that has no use stops the update, with the classes of the turn and the call', async () => {
    worked({ turn: { refs: { toolUse: [] } } })
    const answer = await update()
    const ofTurn = ['tool.join_incomplete', 'tool.use_missing']
    expect(answer.failureClasses).toEqual(['turn_not_closed', ...ofTurn])
    expect(answer.diagnostic).toContain('tool.use_missing at evidence.toolResults[tc-1]')
    expect(answer.remedy).toMatch(/^Record the use of the result/)
    expect(project.rowsById()['bd-1'].title).toBe('Say yes')
  })

  test('an update without a turn is refused, and the remedy makes one', async () => {
    project.premath(['instruction-run', '--instruction', `instructions/${id}.json`])
    project.done('issue', 'claim', 'bd-1', '--assignee', 'agent', ...under)
    const answer = await update()
    expect(answer.failureClasses).toEqual(['mutation.use_evidence_missing'])
    expect(answer.remedy).toBe(
      `premath harness-join-check --input <turn> --write-witness --instruction ${id} makes one.`,
    )
  })

  // The earlier server believed these members of the witness of an instruction.
  test('a join that is written into the witness of an instruction by hand lets nothing pass', async () => {
    worked({ turn: { refs: { toolUse: [] } } })
    const path = `artifacts/ciwitness/${id}.json`
    put(path, { ...json(path), joinClosed: true, joinFailureClasses: [], joinWitnessRef: 'x' })
    const answer = await update()
    expect(answer.failureClasses).toEqual(['instruction_witness_invalid'])
    expect(project.rowsById()['bd-1'].title).toBe('Say yes')
  })
})
