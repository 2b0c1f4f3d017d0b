/** The environment variables of premath, for the manual page. */

/** Variables that people and CI set. */
const readVariables = {
  PREMATH_ACTIVE_ISSUE_ID: 'The issue that a failure belongs to, for retry and escalation.',
  PREMATH_CI_BASE_REF: 'The commit that a change is compared with, for required checks.',
  PREMATH_CI_HEAD_REF: 'The commit of the change, for required checks.',
  PREMATH_CI_NATIVE_REQUIRED_CHECKS:
    'The required checks that have to write a gate witness of their own, with commas between them.',
  PREMATH_DEBUG: 'Print the stack of a bug.',
  PREMATH_EXECUTOR_PROFILE: 'The profile of the machine that runs the checks of an instruction.',
  PREMATH_GOVERNANCE_PROMOTION_EVIDENCE: 'The file with the evidence for a change of policy.',
  PREMATH_GOVERNANCE_PROMOTION_REQUIRED: 'Whether a change of policy needs that evidence.',
  PREMATH_HARNESS_SESSION_PATH: 'The session file.',
  PREMATH_INSTRUCTION_ID: 'The accepted instruction to act under.',
  PREMATH_ISSUES_PATH: 'The issue memory file, from the root of the project.',
  PREMATH_OBSERVE_TOKEN: 'The token that clients of premath observe-serve on other machines need.',
  PREMATH_OPERATOR: 'The name of the person who changes issues. Defaults to USER.',
  PREMATH_REQUIRED_NORMALIZER_ID: 'The normalizer that the witness of required checks names.',
  PREMATH_ROOT: 'The root of the project. Without it, the nearest folder with .premath.',
  PREMATH_SIGNING_KEY:
    'The private key with which premath signs witnesses, closes and reruns. Defaults to premath/harness.pem in the settings folder of the user, if it is there.',
  PREMATH_SQUEAK_SITE_PROFILE: 'The same as PREMATH_EXECUTOR_PROFILE, and stronger.',
  PREMATH_TRANSPORT_CMD: 'The command that carries work to another location.',
  PREMATH_VERIFY_CMD: 'The command that verifies the work.',
  PREMATH_WORKER_ID: 'The name of the worker.',
  PREMATH_WORKTREES: 'The worktrees of a coordinator, with commas between them.',
  PREMATH_WORK_CMD: 'The command that does the work of an issue.',
} as const

/** Variables that premath sets for the commands that it runs. */
const setVariables = {
  PREMATH_ATTEMPT: 'The number of the attempt.',
  PREMATH_ATTENTION: 'The event that needs attention as JSON, for the setting notifyCommand.',
  PREMATH_BRANCH: 'The branch of the issue, for the setting landCommand.',
  PREMATH_CHECK_ID: 'The check of an instruction that runs.',
  PREMATH_COMMIT: 'The commit that lands, for the setting landCommand.',
  PREMATH_FEEDBACK_FILE: 'A file that says why the last attempt failed.',
  PREMATH_FENCE: 'The fence of the lease.',
  PREMATH_GATE_CHECK_ID: 'The required check that runs.',
  PREMATH_GATE_CTX_REF: 'The commit that the change is compared with.',
  PREMATH_GATE_DATA_HEAD_REF: 'The commit of the change.',
  PREMATH_GATE_POLICY_DIGEST: 'The name of the path rules.',
  PREMATH_GATE_PROJECTION_DIGEST: 'The digest of the changed paths and their checks.',
  PREMATH_GATE_WITNESS_OUT: 'The file for a gate witness that the check writes itself.',
  PREMATH_GROUP: 'Identifies the processes of one command.',
  PREMATH_HANDOFF_FILE: 'A file that says what earlier attempts did.',
  PREMATH_ISSUE_FILE: 'A file with the row of the issue.',
  PREMATH_ISSUE_ID: 'The id of the issue.',
  PREMATH_ISSUE_JSON: 'The row of the issue; empty if it is too long.',
  PREMATH_ISSUE_TITLE: 'The title of the issue.',
  PREMATH_LEASE_ID: 'The id of the lease.',
  PREMATH_RELOCATION: 'The file with the inputs of work that another location does.',
  PREMATH_RELOCATION_EVIDENCE: 'The file for the answer of that location.',
  PREMATH_STEP_ID: 'The id of the step.',
  PREMATH_TARGET: 'The branch that work lands on, for the setting landCommand.',
  PREMATH_TURN_EVIDENCE: 'The file for the evidence of turns, one per line.',
} as const

const rowsOf = (variables: Readonly<Record<string, string>>) =>
  Object.entries(variables).map(([name, means]) => ({ name, means }))

export const environment = { read: rowsOf(readVariables), set: rowsOf(setVariables) }
