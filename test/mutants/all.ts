import type { Mutants } from './mutant.ts'
import { specMutants } from './spec.ts'
import { toolCallingMutants } from './tool-calling.ts'
import { typestateMutants } from './typestate.ts'

export const mutants: Mutants = {
  ...typestateMutants,
  ...toolCallingMutants,
  ...specMutants,
}
