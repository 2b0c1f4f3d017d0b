/** docs/decisions/proofs.md. */
import type { Mutants } from './mutant.ts'

const rerun = 'src/project/proofs/rerun.ts'
const rerunCommit = 'src/project/proofs/rerun-commit.ts'
const rerunTest = 'test/witness-rerun.test.ts'
const signing = 'src/operations/witness/export.ts'
const override = 'src/project/authority/override.ts'
const attestationTest = 'test/attestation.test.ts'
const signedTest = 'test/signed-proofs.test.ts'
const gitFolderTest = 'test/hostile-git-folder.test.ts'
const worktreeTest = 'test/hostile-worktree.test.ts'
const closesTest = 'test/unproven-closes.test.ts'

export const proofMutants: Mutants = {
  'proofs.1.closed-has-proof': [
    {
      file: 'src/project/proofs/witness-verdict.ts',
      find: "(memory?.all() ?? []).filter(issue => issue.status === 'closed')",
      replace:
        "(memory?.all() ?? []).filter(issue => issue.status === 'closed' && issue.metadata !== undefined)",
      test: closesTest,
    },
    {
      file: 'src/project/doctor/proofs.ts',
      find: '[...unprovenFindings(unproven)]',
      replace: '[...unprovenFindings(unproven.slice(1))]',
      test: closesTest,
    },
    {
      file: 'src/project/proofs/imported-issues.ts',
      find: 'said.filter(id => !seenOpen.has(id))',
      replace: "said.filter(id => !seenOpen.has('') || seenOpen.has(id))",
      test: closesTest,
    },
  ],
  'proofs.2.forced': {
    file: 'src/project/proofs/witness-verdict.ts',
    find: 'options.allowForced || rows.some(isPast)',
    replace: 'options.allowForced || !options.named || rows.some(isPast)',
    test: closesTest,
  },
  'proofs.3.rerun': [
    {
      file: rerun,
      find: 'await clone.checkOut(base)',
      replace: 'await clone.checkOut(landed.commit ?? base)',
      test: rerunTest,
      named: 'brings its own verify command',
    },
    {
      file: rerun,
      find: 'await clone.takeSpecs(',
      replace: 'if (judge.specs === undefined) await clone.takeSpecs(',
      test: rerunTest,
      named: 'changed the spec that judges it',
    },
    {
      file: rerun,
      find: '[...specsOf(issue), ...specsOf(then)]',
      replace: '[...specsOf(issue), ...specsOf(then).slice(1)]',
      test: rerunTest,
      named: 'taken out of the row',
    },
    {
      file: rerun,
      find: 'const { writesSpecs } = allowancesOf(then)',
      replace: 'const { writesSpecs } = allowancesOf(issue)',
      test: rerunTest,
      named: 'changed the spec that judges it',
    },
    {
      file: rerun,
      find: 'written: writesSpecs ? documents.paths.filter(isOwn) : [],',
      replace: 'written: writesSpecs ? documents.paths.filter(isOwn).slice(0, 1) : [],',
      test: rerunTest,
      named: 'from its own commit',
    },
    {
      file: rerun,
      find: 'if (tree === chain.treeDigest) return undefined',
      replace: 'if (tree !== undefined) return undefined',
      test: rerunTest,
      named: 'about other files',
    },
    {
      file: rerunCommit,
      find: 'if (named.length === 0 || named.includes(id)) return undefined',
      replace: 'if (named.length >= 0 || named.includes(id)) return undefined',
      test: rerunTest,
      named: 'the work of another issue',
    },
    {
      file: rerunCommit,
      find: "one.id === id && one.status !== 'closed'",
      replace: "one.id === id && one.status === ''",
      test: rerunTest,
      named: 'claims to be imported',
    },
  ],
  'proofs.4.attestation': [
    {
      file: 'src/kernel/proof/attestation.ts',
      find: 'confirmed([...commitSubjects(chain), treeSubject(treeDigest)],',
      replace: 'confirmed([treeSubject(treeDigest), ...commitSubjects(chain)],',
      test: attestationTest,
    },
    {
      file: 'src/kernel/proof/attestation.ts',
      find: 'digest: { sha256: sha256(bundle) }',
      replace: 'digest: { sha256: sha256(bundle.trimEnd()) }',
      test: attestationTest,
    },
  ],
  'proofs.6.sandboxed-rerun': [
    {
      file: 'src/project/proofs/rerun-command.ts',
      find: 'command: contained?.command ?? command,',
      replace: 'command,',
      test: rerunTest,
      named: 'changes nothing of the caller',
    },
    {
      file: 'src/project/proofs/rerun.ts',
      find: 'if (sandbox.note !== undefined) project',
      replace: 'if (sandbox.note === undefined) project',
      test: rerunTest,
      named: 'it says so',
    },
  ],
  'proofs.7.signed-at-birth': [
    {
      file: 'src/harness/step/attempt.ts',
      find: '{ commit: candidate.commit, gitTree: candidate.tree }',
      replace: '{ commit: candidate.commit }',
      test: signedTest,
      named: 'a signature of each witness',
    },
    {
      file: 'src/harness/step/attempt.ts',
      find: 'return {\n    sandbox: sandboxModeOf(harness),\n    ...(candidate',
      replace: "return {\n    sandbox: 'off',\n    ...(candidate",
      test: signedTest,
      named: 'the work cannot read',
    },
    {
      file: 'src/project/context.ts',
      find: 'env: signingKey === undefined ? given : env,',
      replace: 'env: signingKey === undefined ? env : given,',
      test: signedTest,
      named: 'does not know the key',
    },
    {
      file: 'src/harness/sandbox/sandbox.ts',
      find: 'mounts.push(...(await this.#hiddenKey(harness, mounts)))',
      replace: 'await this.#hiddenKey(harness, mounts)',
      test: signedTest,
      named: 'the work cannot read',
    },
    {
      file: 'src/project/proofs/link-signatures.ts',
      find: 'signers.get(signed) ?? null',
      replace: 'signers.get(signed) ?? [...signers.values()][0] ?? null',
      test: signedTest,
      named: 'signatures of another proof',
    },
    {
      file: 'src/project/proofs/link-signatures.ts',
      find: 'requireSigned ? signatures.filter(({ signedBy }) => signedBy === null) : []',
      replace: 'requireSigned ? signatures.filter(({ signedBy }) => signedBy === undefined) : []',
      test: signedTest,
      named: 'is none without the key',
    },
    {
      file: 'src/project/proofs/link-signatures.ts',
      find: "requireSandbox && (chain.sandbox !== 'bubblewrap' ||",
      replace: "requireSandbox && (chain.sandbox === 'bubblewrap' &&",
      test: signedTest,
      named: 'if one is required',
    },
    {
      file: signing,
      find: 'if (unsigned.length > 0) return refusal(unsigned)',
      replace: 'if (unsigned.length < 0) return refusal(unsigned)',
      test: signedTest,
      named: 'signs without a person',
    },
    {
      file: 'src/project/proofs/step-proofs.ts',
      find: 'if (left && !isRefusal(proof)) await',
      replace: 'if (left && isRefusal(proof)) await',
      test: signedTest,
      named: 'of its specs too',
    },
    {
      file: 'src/store/witness-store.ts',
      find: '{ ...(witness as JsonObject), ...about }',
      replace: '{ ...about, ...(witness as JsonObject), commit: null }',
      test: signedTest,
      named: 'of its specs too',
    },
    {
      file: 'src/project/proofs/close-proof.ts',
      find: '  await signLeft(left, project)\n',
      replace: '',
      test: signedTest,
      named: 'specs that a close runs',
    },
    {
      file: signing,
      find: 'bundled(files, chain, files.signatures)',
      replace: 'bundled(files, chain)',
      test: signedTest,
      named: 'in an exported bundle',
    },
  ],
  'proofs.8.signed-rerun': {
    file: 'src/operations/witness/verify.ts',
    find: "filter(({ role }) => role === 'ci')",
    replace: 'filter(({ role }) => role !== undefined)',
    test: signedTest,
  },
  'proofs.9.trust': [
    {
      file: 'src/operations/trust/add.ts',
      find: 'if (isAgent(context)) return',
      replace: 'if (!isAgent(context) && isAgent(context)) return',
      test: signedTest,
      named: 'removed by no agent',
    },
    {
      file: 'src/project/proofs/trust-root.ts',
      find: 'if (keyIdOf(publicKey) !== keyId)',
      replace: "if (keyIdOf(publicKey) === '')",
      test: signedTest,
      named: 'with the id that the list has',
    },
    {
      file: 'src/operations/trust/add.ts',
      find: 'addedBy: by }',
      replace: "addedBy: { ...by, actor: 'script' } }",
      test: signedTest,
      named: 'by a person at a terminal',
    },
    {
      file: 'src/project/doctor/examine.ts',
      find: '() => trustRoot(undefined, project)',
      replace: '() => (project.isFound ? undefined : trustRoot(undefined, project))',
      test: signedTest,
      named: 'that the doctor checks',
    },
  ],
  'git.1.explicit-folder': [
    {
      file: 'src/harness/landing/worktree-git-folder.ts',
      find: 'if (parent !== `',
      replace: 'if (parent === `/',
      test: gitFolderTest,
      named: 'which names the worktree',
    },
  ],
  'git.4.index-writers': {
    file: 'src/harness/worktree/git-settings.ts',
    find: "  'version',\n",
    replace: "  'version',\n  'write-tree',\n",
    test: worktreeTest,
  },
  'git.3.recorded-folder': [
    {
      file: 'src/harness/worktree/git.ts',
      find: 'return repository ? foundRepository(repository) : {}',
      replace: 'return repository && cwd === place.root ? foundRepository(repository) : {}',
      test: worktreeTest,
      named: 'git answers for the own repository',
    },
    {
      file: 'src/harness/worktree/git.ts',
      find: 'programsOff(await gitPrograms(place, cwd, env), {',
      replace: "programsOff(await gitPrograms(place, cwd, { GIT_DIR: cwd + '/.git' }), {",
      test: worktreeTest,
      named: 'programs of the own repository',
    },
    {
      file: 'src/harness/worktree/tree.ts',
      find: 'if (known) return known',
      replace: 'if (known && root === project) return known',
      test: worktreeTest,
      named: 'the same tree is judged',
    },
    {
      file: 'src/harness/worktree/repository.ts',
      find: 'found.own === found.common ? { GIT_WORK_TREE: found.top }',
      replace: 'found.own === found.common ? {}',
      test: worktreeTest,
      named: 'names no other work tree',
    },
    {
      file: 'src/harness/sandbox/private-git.ts',
      find: '=== found.own ? found : undefined',
      replace: "!== '' ? found : undefined",
      test: worktreeTest,
      named: 'no sandbox and no removal',
    },
    {
      file: 'src/harness/worktree/uncommitted-work.ts',
      find: 'if (repository && link === repository.own) return link',
      replace: 'if (repository && link) return link',
      test: worktreeTest,
      named: 'no sandbox and no removal',
    },
    {
      file: 'src/project/root.ts',
      find: 'if (main === undefined || here === undefined) return undefined',
      replace: "if (main === undefined || here === undefined || cwd() !== '') return undefined",
      test: worktreeTest,
      named: 'a command in the worktree',
    },
  ],
  'git.2.no-replace': {
    file: 'src/harness/worktree/git-settings.ts',
    find: "  GIT_NO_REPLACE_OBJECTS: '1',",
    replace: "  GIT_REPLACE_REF_BASE: 'refs/replace/',",
    test: gitFolderTest,
  },
  'proofs.5.signing': [
    {
      file: 'src/kernel/proof/attestation.ts',
      find: 'annotations: { confirmedBy: { actor, uid } }',
      replace:
        "annotations: { confirmedBy: { actor: actor === 'terminal' ? 'script' : actor, uid } }",
      test: attestationTest,
      named: 'if the person says so',
    },
    {
      file: signing,
      find: 'project.confirmer() === undefined && (await isDefaultKey(path, project))',
      replace: 'project.confirmer() === undefined && key === undefined',
      test: attestationTest,
      named: 'not by the key of a person',
    },
    {
      file: override,
      find: "if (/^y(es)?$/i.test(answer ?? ''))",
      replace: 'if (answer !== undefined)',
      test: attestationTest,
      named: 'if the person says so',
    },
    {
      file: override,
      find: 'instructionIn({}, project) !== undefined',
      replace: "project.cwd() === ''",
      test: attestationTest,
      named: 'by no agent',
    },
  ],
}
