import { authorityMutants } from './authority.ts'
import { checkMutants } from './checks.ts'
import { forwardMutants } from './forward.ts'
import { gateMutants } from './gate.ts'
import { linkageMutants } from './linkage.ts'
import { memoryClockMutants } from './memory-clock.ts'
import { memoryDigestMutants } from './memory-digests.ts'
import { memoryDoctorMutants } from './memory-doctor.ts'
import { memoryEditsMutants } from './memory-edits.ts'
import { memoryEndsMutants } from './memory-ends.ts'
import { memoryInjectorMutants } from './memory-injector.ts'
import { memoryMergeMutants } from './memory-merge.ts'
import { memorySizeMutants } from './memory-size.ts'
import { memoryTrajectoryMutants } from './memory-trajectory.ts'
import type { Mutants } from './mutant.ts'
import { observationMutants } from './observation.ts'
import { payloadMutants } from './payloads.ts'
import { proofMutants } from './proofs.ts'
import { requiredMutants } from './required.ts'
import { residentMutants } from './resident.ts'
import { runtimeMutants } from './runtime.ts'
import { schemeMutants } from './scheme.ts'
import { specMutants } from './spec.ts'
import { specHttpMutants } from './spec-http.ts'
import { specHttpServiceMutants } from './spec-http-service.ts'
import { stepMutants } from './steps.ts'
import { surfaceMutants } from './surfaces.ts'
import { toolCallingMutants } from './tool-calling.ts'
import { trustMutants } from './trust.ts'
import { tuskMutants } from './tusk.ts'
import { typestateMutants } from './typestate.ts'

export const mutants: Mutants = {
  ...runtimeMutants,
  ...proofMutants,
  ...linkageMutants,
  ...authorityMutants,
  ...surfaceMutants,
  ...residentMutants,
  ...trustMutants,
  ...forwardMutants,
  ...memoryClockMutants,
  ...memoryEditsMutants,
  ...memoryDoctorMutants,
  ...memoryTrajectoryMutants,
  ...memoryMergeMutants,
  ...memorySizeMutants,
  ...memoryDigestMutants,
  ...memoryEndsMutants,
  ...memoryInjectorMutants,
  ...checkMutants,
  ...gateMutants,
  ...stepMutants,
  ...payloadMutants,
  ...observationMutants,
  ...requiredMutants,
  ...typestateMutants,
  ...toolCallingMutants,
  ...tuskMutants,
  ...schemeMutants,
  ...specMutants,
  ...specHttpServiceMutants,
  ...specHttpMutants,
}
