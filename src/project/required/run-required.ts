/** Runs the required checks of a change, and writes their witnesses. */

import { documentOf, printDocument } from '../../kernel/artifact/print.ts'
import { prettyAsOrdered } from '../../kernel/canonical.ts'
import type { Checks } from '../../kernel/instruction/checks.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import { deltaSnapshot } from '../../kernel/required/delta.ts'
import { gateFlaw, gateWitnessRef } from '../../kernel/required/gate-witness.ts'
import {
  ctxRefOf,
  fallbackGate,
  gateFolder,
  gateName,
  witnessOfRun,
} from '../../kernel/required/run-witness.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import type { CheckResult } from '../../wire/instruction/instruction-witness.ts'
import { DeltaSnapshot, type RequiredDelta } from '../../wire/required/delta.ts'
import type { GateWitnessRef } from '../../wire/required/gate-witness.ts'
import type { RequiredProjection } from '../../wire/required/projection.ts'
import type { RequiredChecks } from '../../wire/required/required-checks.ts'
import { type RequiredResult, RequiredWitness } from '../../wire/required/required-witness.ts'
import { TimeSpan } from '../../world/time-span.ts'
import type { Project } from '../open.ts'
import { runProjectChecks } from '../policies/run-project-checks.ts'
import { smallDocument, Unreadable } from '../small-document.ts'
import { latest, type RequiredFolder, writeWithDigest } from './required-files.ts'

export interface RequiredRun {
  readonly project: Project
  readonly rules: RequiredChecks
  readonly delta: RequiredDelta
  readonly projection: RequiredProjection
  readonly commands: Checks
  readonly folder: RequiredFolder
  readonly normalizerId: string
  readonly timeoutMs: number
  readonly atOnce: number
}

export async function runRequired(run: RequiredRun): Promise<RequiredWitness> {
  const { project, projection, delta, folder, normalizerId } = run
  const { sha256, clock } = project
  const span = new TimeSpan(clock)
  const snapshot = deltaSnapshot({ projection, delta, normalizerId }, sha256)
  const disk = await project.disk()
  await makeGitignoredFolder(folder.path, disk)
  await writeWithDigest(folder.path, latest.delta, printDocument(DeltaSnapshot, snapshot), project)
  const { results, gateWitnessRefs } = await gatedResults(run)
  const witness = witnessOfRun(
    { projection, delta, results, gateWitnessRefs, normalizerId, span },
    sha256,
  )
  const text = printDocument(RequiredWitness, witness)
  await disk.replace(`${folder.path}/${projection.projectionDigest}.json`, bytesOf(text))
  await writeWithDigest(folder.path, latest.required, text, project)
  return witness
}

async function gatedResults(run: RequiredRun) {
  const { project, projection, folder } = run
  const { projectionDigest, requiredChecks } = projection
  const disk = await project.disk()
  const outputFolder = `${folder.path}/required/${projectionDigest}`
  // A gate witness of an earlier run says nothing about this one.
  for (const stale of [outputFolder, `${folder.path}/${gateFolder(projection)}`]) {
    await disk.removeFolder(stale)
  }
  await disk.makeFolder(outputFolder)
  const ended = await runProjectChecks(requiredChecks, project, {
    checks: run.commands,
    id: projectionDigest,
    env: {},
    cwd: await project.folderHere(),
    outputFolder,
    timeoutMs: run.timeoutMs,
    timeoutMsOf: checkId => {
      const seconds = run.rules.checks?.[checkId]?.timeoutSeconds
      return seconds === undefined ? undefined : seconds * 1000
    },
    atOnce: run.atOnce,
    after: checkId => run.rules.checks?.[checkId]?.after ?? [],
    envOf: checkId => gateVariables(run, checkId, outputFolder),
  })
  const results: RequiredResult[] = []
  const gateWitnessRefs: GateWitnessRef[] = []
  const files = new Map<string, Uint8Array>()
  for (const [place, result] of ended.entries()) {
    const { checkId } = result
    const name = gateName(place, checkId)
    const gate = await gateOf(run, result, nativePath(outputFolder, checkId))
    results.push(gate.result)
    const artifactRelPath = `${gateFolder(projection)}/${name}.json`
    const { source } = gate
    gateWitnessRefs.push(
      gateWitnessRef({ checkId, artifactRelPath, source }, gate.payload, project.sha256),
    )
    files.set(`${name}.json`, bytesOf(`${prettyAsOrdered(gate.payload)}\n`))
    files.set(`${name}.source`, bytesOf(`${source}\n`))
  }
  if (files.size > 0) await disk.replaceAll(`${folder.path}/${gateFolder(projection)}`, files)
  return { results, gateWitnessRefs }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

const nativePath = (folder: string, checkId: string) => `${folder}/${checkId}.gate.json`

/** Where a check may write its own gate witness, and what it should say in it. */
function gateVariables(
  { projection, delta }: RequiredRun,
  checkId: string,
  folder: string,
): Readonly<Record<string, string>> {
  return {
    PREMATH_GATE_WITNESS_OUT: nativePath(folder, checkId),
    PREMATH_GATE_CHECK_ID: checkId,
    PREMATH_GATE_PROJECTION_DIGEST: projection.projectionDigest,
    PREMATH_GATE_POLICY_DIGEST: projection.projectionPolicy,
    PREMATH_GATE_CTX_REF: ctxRefOf(delta),
    PREMATH_GATE_DATA_HEAD_REF: delta.toRef,
  }
}

/** A check whose own gate witness cannot be used has failed, whatever its exit code was. */
async function gateOf(
  { project, projection, delta }: RequiredRun,
  { checkId, exitCode: ended, durationMs }: CheckResult,
  path: string,
): Promise<{
  readonly result: RequiredResult
  readonly payload: JsonObject
  readonly source: GateWitnessRef['source']
}> {
  const native = await nativeWitness(path, ended, project)
  const isBroken = typeof native === 'string'
  if (isBroken) project.progress(`${checkId}: its gate witness cannot be used: ${native}`)
  const exitCode = isBroken && ended === 0 ? 1 : ended
  const status = exitCode === 0 ? 'passed' : 'failed'
  const result = { checkId, status, exitCode, durationMs } as const
  if (native !== undefined && !isBroken) return { result, payload: native, source: 'native' }
  const payload = fallbackGate(result, { projection, delta }, project.sha256)
  return { result, payload, source: 'fallback' }
}

/** What the check wrote; `undefined` if it wrote nothing, and why it cannot be used. */
async function nativeWitness(
  path: string,
  exitCode: number,
  project: Project,
): Promise<JsonObject | string | undefined> {
  const disk = await project.disk()
  const entry = await disk.entry(path)
  if (entry === undefined) return undefined
  if (entry.kind !== 'file') return 'it is not a file'
  const document = await smallDocument(path, project)
  if (document instanceof Unreadable) return document.why
  if (!isJsonObject(document)) return 'it is not an object'
  return gateFlaw(document, exitCode) ?? document
}

export const witnessDocument = (witness: RequiredWitness): JsonObject =>
  documentOf(RequiredWitness, witness)
