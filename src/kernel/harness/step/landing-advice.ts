/** Says what a person does about work that did not land. Another attempt with the same commit fails alike. */
import { conflictClass, parkedClass, protectedClass, stoppedClass } from './step-decision.ts'

/** Returns `undefined` if the work itself failed. */
export function landingAdvice(
  issueId: string,
  failureClasses: readonly string[],
  isBlocked: boolean,
): string | undefined {
  const hasClass = (name: string) => failureClasses.includes(name)
  if (hasClass(parkedClass)) {
    return `Move your files out of the way, then land it: premath land ${issueId}.`
  }
  const advice = adviceOn(issueId, hasClass)
  if (advice === undefined || !isBlocked) return advice
  return `${advice} To have the work done again: premath reopen ${issueId}.`
}

function adviceOn(issueId: string, hasClass: (name: string) => boolean): string | undefined {
  if (hasClass(protectedClass)) {
    return `If the change is right, allow it: premath issue update ${issueId} --may-change <pattern>. Then land it: premath land ${issueId}.`
  }
  if (hasClass(conflictClass)) {
    return `Merge the target into the branch of the issue and commit. Then land it: premath land ${issueId}.`
  }
  return undefined
}

/** The same for a landing that a person started. */
export function nextAfterLanding(
  issueId: string,
  failureClasses: readonly string[],
  { isBlocked, as, target }: LandedFrom,
): string {
  if (failureClasses.includes(stoppedClass)) return `Run it again: premath land ${issueId}.`
  if (as !== undefined) {
    return `Fix it on ${target} and commit. Then name the commit that has the work: premath land ${issueId} --as <commit>.`
  }
  const advice = landingAdvice(issueId, failureClasses, isBlocked)
  if (advice !== undefined) return advice
  return `Fix it on the branch of the issue and commit. Then land it: premath land ${issueId}.`
}

interface LandedFrom {
  readonly isBlocked: boolean
  /** The commit on the target that was to be verified. */
  readonly as: string | undefined
  readonly target: string
}
