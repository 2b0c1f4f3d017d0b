/** Who confirmed what no proof backs: a close by force, a policy, an allowance, a signature. */
export interface OverrideActor {
  /**
   * `terminal`: somebody answered the question at a terminal. `script`: the policy lets scripts
   * override. Neither says that it was a person, because a program can open a terminal.
   */
  readonly actor: 'terminal' | 'script'
  /** The real user id of the process. A name would come from the environment, which anybody sets. */
  readonly uid: number
}
