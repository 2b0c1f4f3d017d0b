/**
 * In `npm test` every property draws the same values, so that a suite which passed once passes
 * again. `npm run fuzz` draws more of them from a new seed; a failure prints it.
 */
import fc from 'fast-check'

const runs = process.env['PROPERTY_RUNS']

fc.configureGlobal(runs === undefined ? { seed: 20_261_117 } : { numRuns: Number(runs) })
