import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { printDocument } from '../../kernel/artifact/print.ts'
import { eventLines } from '../../kernel/observation/surface.ts'
import { instantOf } from '../../kernel/timestamp.ts'
import { keptFiles } from '../../project/harness-files.ts'
import { buildObservation } from '../../project/observation/build-observation.ts'
import { keepParts, openParts } from '../../project/observation/cached-parts.ts'
import { eventsPathDefault, surfacePathDefault } from '../../project/observation/surface-file.ts'
import { openProject, type Project } from '../../project/open.ts'
import { mustStayInside } from '../../project/paths.ts'
import { safeOutput } from '../../project/safe-output.ts'
import { observationPage } from '../../render/observation/observation-page.ts'
import { ObservationSurface } from '../../wire/observation/surface.ts'
import { operation } from '../operation.ts'

export const observeBuild = operation({
  group: 'observe',
  summary: 'Write the observation surface of the project.',
  description: `Collects the verdicts of the required checks and of instructions, issues, leases, sessions, the landing queue, steps and proofs, and writes ${surfacePathDefault} and ${eventsPathDefault}. The surface is evidence: no command takes authority from it. The same inputs and the same --at give the same bytes. Inputs that have not changed since the last build are not read again. A witness that cannot be read is named, with exit code 2, and the old surface stays.`,
  effect: 'projection',
  opId: 'op/ci.observe_build',
  input: {
    at: textField(
      'time',
      'The time for which leases and reports are evaluated, as an RFC 3339 time. Defaults to now.',
    ),
    ciwitnessDir: textField(
      'folder',
      'The folder of the witnesses. Defaults to artifacts/ciwitness of the project.',
      { path: true },
    ),
    outJson: textField('file', `The surface. Defaults to ${surfacePathDefault} of the project.`, {
      path: true,
    }),
    outJsonl: textField('file', `Its events. Defaults to ${eventsPathDefault} of the project.`, {
      path: true,
    }),
    ...memoryFields,
  },
  output: ObservationSurface,
  examples: {
    'premath observe-build': 'write the surface and show it',
    'premath observe-build --at 2026-02-22T00:00:00Z --json': 'the surface for a fixed time',
  },

  async run({ at: given, ciwitnessDir, outJson, outJsonl, issues }, context) {
    const at = given === undefined ? context.clock.now() : instantOf(given)
    if (at === undefined) throw badTime(given ?? '')
    const project = await openProject(context)
    const paths = {
      surface: await outputPath(outJson, surfacePathDefault, project),
      events: await outputPath(outJsonl, eventsPathDefault, project),
    }
    const parts = await openParts(project)
    const surface = await buildObservation(project, { issues, ciwitnessDir, at }, parts)
    const disk = await project.disk()
    const write = (path: string, text: string) => disk.replace(path, new TextEncoder().encode(text))
    await write(paths.events, eventLines(surface))
    await write(paths.surface, printDocument(ObservationSurface, surface))
    if (parts.settle()) await keepParts(parts, project)
    return { output: surface, yes: true, render: page => observationPage(surface, page) }
  },
})

/** The folder of the default is created; a folder that a flag names must exist. */
async function outputPath(
  given: string | undefined,
  usual: string,
  project: Project,
): Promise<string> {
  if (given) return await safeOutput(given, keptFiles(project), project)
  const disk = await project.disk()
  const path = project.at(usual)
  await mustStayInside(path, project.root, disk)
  await disk.makeFolder(path.slice(0, path.lastIndexOf('/')))
  return path
}

const badTime = (given: string) =>
  new Fault('usage', `--at must be an RFC 3339 time, not ${JSON.stringify(given)}`, {
    hint: 'Pass a time such as 2026-02-22T00:00:00Z, or omit the flag for now.',
  })
