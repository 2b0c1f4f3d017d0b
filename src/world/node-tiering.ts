/** When V8 compiles for speed. */

/** Sixty times the usual: what runs for a second is still found to be hot, what runs once a command is not. */
const patient = '--interrupt-budget=4000000'

let isPatient = false

/**
 * For whoever starts commands, and mostly waits for them. Node 20 takes hundreds of milliseconds of
 * other cores to compile the code around a start, and commands need these cores more. Later
 * versions know no such flag; their second compiler makes up for it.
 */
export function compileLater(): void {
  if (isPatient || !process.versions.v8.startsWith('11.')) return
  isPatient = true
  process.getBuiltinModule('node:v8').setFlagsFromString(patient)
}
