/** Every reason to refuse an instruction, a proposal, the input of a required check, or a witness. */

interface InstructionClassEntry {
  readonly means: string
  readonly remedy: string
  /** 1: a verdict. 2: nothing to judge. 5: stored data does not match its digest. */
  readonly exitCode: 1 | 2 | 5
}

export const instructionClasses = {
  adjoint_triple_coherence_failure: {
    means: 'A refinement plan gives no hint that its change of base coheres.',
    remedy: 'Give each missing hint among the candidateRefs.',
    exitCode: 1,
  },
  check_failed: {
    means: 'A check did not pass.',
    remedy: 'Look at its output, mend what it found, and run the instruction again.',
    exitCode: 1,
  },
  check_not_executed: {
    means: 'A check that the instruction asks for has no result.',
    remedy: 'Run every requested check; what was not run cannot have passed.',
    exitCode: 1,
  },
  descent_failure: {
    means: 'A proposal names neither a candidate nor a step that yields one.',
    remedy: 'Give a candidateRef, or a step with outputs.',
    exitCode: 1,
  },
  executor_unavailable: {
    means: 'A check could not be run.',
    remedy: 'Say in .premath/checks.json which command the check is, and see that it starts.',
    exitCode: 1,
  },
  flaky_execution: {
    means: 'A check was cut off: by its time limit, or by a signal.',
    remedy: 'Run the instruction again, or give the check more time.',
    exitCode: 1,
  },
  glue_non_contractible: {
    means: 'A proposal of one value names several candidates.',
    remedy: 'Choose one of the candidateRefs.',
    exitCode: 1,
  },
  governance_promotion_invalid: {
    means: 'What is asked about a promotion, or its evidence, could not be read.',
    remedy: 'Give an object such as {"promotionRequired": true}, and evidence that is JSON.',
    exitCode: 2,
  },
  instruction_capability_claims_invalid: {
    means: 'capabilityClaims is not a list of distinct names.',
    remedy: 'Give each capability once, or leave the member out.',
    exitCode: 2,
  },
  instruction_check_not_allowed: {
    means: 'A requested check is not among those of the policy.',
    remedy: 'Ask for the checks of the policy, or name a policy that allows this one.',
    exitCode: 2,
  },
  instruction_check_required: {
    means: 'The policy requires a check that the instruction does not ask for.',
    remedy: 'Add the check to requestedChecks.',
    exitCode: 2,
  },
  instruction_envelope_invalid: {
    means: 'The instruction could not be read.',
    remedy: 'Name a file of at most 1 MB that lies where it seems to lie.',
    exitCode: 2,
  },
  instruction_envelope_invalid_json: {
    means: 'The instruction is not JSON.',
    remedy: 'Fix the place that the message names.',
    exitCode: 2,
  },
  instruction_envelope_invalid_shape: {
    means: 'The instruction is not an object.',
    remedy: 'Write it as the published schema says.',
    exitCode: 2,
  },
  instruction_filename_invalid: {
    means: 'The name of the file cannot name an instruction.',
    remedy:
      'Call it <time>-<id>.json, of letters, digits, dots, dashes and underscores, such as 20260221T000000Z-fix-login.json.',
    exitCode: 2,
  },
  instruction_instruction_type_invalid: {
    means: 'instructionType is blank or not text.',
    remedy: 'Give a type such as ci.gate.check, or leave the member out.',
    exitCode: 2,
  },
  instruction_invalid_intent: {
    means: 'intent is missing, blank, padded or not text.',
    remedy: 'Say in a sentence what the instruction is for.',
    exitCode: 2,
  },
  instruction_invalid_normalizer: {
    means: 'normalizerId is missing, blank, padded or not text.',
    remedy: 'Name a normalizer that the policy allows.',
    exitCode: 2,
  },
  instruction_invalid_policy_digest: {
    means: 'policyDigest is missing, blank, padded or not text.',
    remedy: 'Give the policyDigest of a policy in policies/instruction/.',
    exitCode: 2,
  },
  instruction_invalid_schema: {
    means: 'schema is not a whole number above 0.',
    remedy: 'Write "schema": 1.',
    exitCode: 2,
  },
  instruction_normalizer_not_allowed: {
    means: 'The normalizer is not among those of the policy.',
    remedy: 'Name a normalizer of the policy, or a policy that allows this one.',
    exitCode: 2,
  },
  instruction_policy_ambiguous: {
    means: 'Two policies have one id, or one digest.',
    remedy: 'Keep one of the two files that the message names.',
    exitCode: 2,
  },
  instruction_policy_digest_mismatch: {
    means: 'A policy is not the one that its digest names.',
    remedy: 'Restore the file from version control, or write the digest anew after review.',
    exitCode: 5,
  },
  instruction_policy_invalid_shape: {
    means: 'A file in policies/instruction/ is no policy.',
    remedy: 'Fix or remove it. A policy that cannot be read may forbid the instruction.',
    exitCode: 2,
  },
  instruction_requested_checks_invalid: {
    means: 'requestedChecks is not a list of distinct names, or is empty.',
    remedy: 'Name at least one check, each once.',
    exitCode: 2,
  },
  instruction_runtime_invalid: {
    means: 'The record of the run is incomplete, or is about another instruction.',
    remedy: 'Give the members of the published schema, for this instruction as it is now.',
    exitCode: 2,
  },
  instruction_scope_invalid: {
    means: 'scope is null or blank, or lists mutations that cannot be read.',
    remedy: 'Give what the instruction is about; mutations are {"action", "issueId"} entries.',
    exitCode: 2,
  },
  instruction_scope_missing: {
    means: 'scope is missing.',
    remedy: 'Give what the instruction is about.',
    exitCode: 2,
  },
  instruction_typing_policy_invalid: {
    means: 'typingPolicy is not an object with a yes or no in allowUnknown.',
    remedy: 'Write "typingPolicy": {"allowUnknown": true}, or leave the member out.',
    exitCode: 2,
  },
  instruction_unknown_policy: {
    means: 'No policy has the digest that the instruction names.',
    remedy:
      'Name one of the digests that the message lists; a policy that changed has another one.',
    exitCode: 2,
  },
  instruction_unknown_unroutable: {
    means: 'The instruction is of no known type.',
    remedy: 'Give an instructionType such as ci.gate.check, or allow unknown ones in typingPolicy.',
    exitCode: 1,
  },
  instruction_witness_digest_mismatch: {
    means: 'A witness is not what its digests name.',
    remedy: 'Run the instruction again; a witness is not edited.',
    exitCode: 5,
  },
  instruction_witness_envelope_mismatch: {
    means: 'The witness is about another instruction than the one in the file.',
    remedy: 'Run the instruction as it stands.',
    exitCode: 5,
  },
  instruction_witness_invalid_shape: {
    means: 'A document is no witness of an instruction.',
    remedy: 'Run the instruction again.',
    exitCode: 2,
  },
  instruction_witness_verdict_mismatch: {
    means: 'The verdict of a witness does not follow from its results.',
    remedy: 'Run the instruction again; a verdict is not declared.',
    exitCode: 5,
  },
  proposal_binding_mismatch: {
    means: 'A proposal is bound to another normalizer or policy than its instruction.',
    remedy: 'Bind both to the same.',
    exitCode: 2,
  },
  proposal_invalid_kind: {
    means: 'proposalKind is not value, derivation or refinementPlan.',
    remedy: 'Give one of the three.',
    exitCode: 2,
  },
  proposal_invalid_shape: {
    means: 'A proposal is not an object, not readable, or given under both of its names.',
    remedy: 'Give one object, as proposal or as llmProposal.',
    exitCode: 2,
  },
  proposal_invalid_step: {
    means: 'candidateRefs or steps are not what the kind of proposal takes.',
    remedy: 'Steps belong to a derivation, at least one, each with ruleId and claim.',
    exitCode: 2,
  },
  proposal_invalid_target: {
    means: 'targetCtxRef is missing, blank or not text.',
    remedy: 'Name the context that the proposal is about.',
    exitCode: 2,
  },
  proposal_invalid_target_judgment: {
    means: 'targetJudgment has no kind of obj or mor, or no shape.',
    remedy: 'Write "targetJudgment": {"kind": "obj", "shape": "…"}.',
    exitCode: 2,
  },
  proposal_kcir_ref_mismatch: {
    means: 'proposalKcirRef is not that of the proposal.',
    remedy: 'Leave the member out, or give the ref that premath proposal-check prints.',
    exitCode: 2,
  },
  proposal_nondeterministic: {
    means: 'proposalDigest is not that of the proposal.',
    remedy: 'Leave the member out, or give the digest that premath proposal-check prints.',
    exitCode: 2,
  },
  proposal_unbound_policy: {
    means: 'A proposal does not say under which normalizer and policy it was made.',
    remedy: 'Write "binding": {"normalizerId": "…", "policyDigest": "pol1_…"}.',
    exitCode: 2,
  },
  required_decision_verify_invalid: {
    means: 'The decision to verify, or a document beside it, could not be read.',
    remedy: 'Give an object with decision, and the witness and delta that it is about.',
    exitCode: 2,
  },
  required_delta_invalid: {
    means: 'The paths that changed cannot be found.',
    remedy: 'Name commits that git knows. In CI, fetch the history: fetch-depth: 0.',
    exitCode: 2,
  },
  required_gate_ref_invalid: {
    means: 'The input for a gate witness is incomplete, or says two things.',
    remedy: 'Give checkId, artifactRelPath, and one of gatePayload and fallback.',
    exitCode: 2,
  },
  required_projection_invalid: {
    means: 'The changed paths could not be read, or one of them leaves the project.',
    remedy: 'Give changedPaths as a list of paths from the project folder.',
    exitCode: 2,
  },
  required_rules_invalid: {
    means: 'The project has no rules for required checks, or they cannot be used.',
    remedy:
      'Write or fix .premath/required-checks.json; premath schema premath.required_checks.v1 prints its schema.',
    exitCode: 2,
  },
  required_witness_decide_invalid: {
    means: 'The input for a decision could not be read.',
    remedy: 'Give an object with witness, and expectedChangedPaths as a list of paths.',
    exitCode: 2,
  },
  required_witness_runtime_invalid: {
    means: 'The record of a run of required checks is incomplete or contradicts itself.',
    remedy: 'Give the members of the schema premath.required.runtime.v1.',
    exitCode: 2,
  },
  required_witness_verify_invalid: {
    means: 'The witness to verify, or a document beside it, could not be read.',
    remedy: 'Give an object with witness, and changedPaths as a list of paths.',
    exitCode: 2,
  },
  stability_failure: {
    means: 'A refinement plan gives no hint that it keeps what it refines.',
    remedy: 'Give hint:refinement_invariance among the candidateRefs.',
    exitCode: 1,
  },
} as const satisfies Readonly<Record<string, InstructionClassEntry>>

export type InstructionClass = keyof typeof instructionClasses
