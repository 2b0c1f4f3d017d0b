import { createHash } from 'node:crypto'
import { chainOfBundle } from '../kernel/proof/proof-folder.ts'
import { FileIssueStore } from '../store/file/file-issue-store.ts'
import { FileProofStore } from '../store/file/file-proof-store.ts'
import { SharedIssueStore } from '../store/shared-issue-store.ts'
import { describeIssueStore, type IssueBackend } from './issue-store.contract.ts'
import { MemoryIssueStore } from './memory-issue-store.ts'
import { MemoryProofStore } from './memory-proof-store.ts'
import { SimDisk } from './sim-disk.ts'
import { simWorld } from './sim-world.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Other processes get a turn at every call of the disk. */
function fileBackend(): IssueBackend {
  const path = '/p/.premath/issues.jsonl'
  const disk = new SimDisk({
    files: { '/p/README': '' },
    turn: () => new Promise(done => setImmediate(done)),
  })
  const { files } = simWorld({ disk })
  const proofs = new FileProofStore({ root: '/p', issuesPath: path, disk, files, sha256 })
  const lockWaitMs = 1_000_000
  return {
    open: ({ clock }) =>
      new FileIssueStore({ path, disk, clock, lockWaitMs, proofs: async () => proofs }),
    async addWitness(name, text) {
      const file = `/p/${name}`
      await disk.makeFolder(file.slice(0, file.lastIndexOf('/')))
      await disk.replace(file, new TextEncoder().encode(text))
    },
    chainsOf: async id =>
      disk.namesIn(proofs.folderOf(id)).flatMap(name => chainOfBundle(name) ?? []),
  }
}

function memoryBackend(): IssueBackend {
  const witnesses = new Map<string, string>()
  const proofs = new MemoryProofStore(witnesses, sha256)
  let store: MemoryIssueStore | undefined
  return {
    open({ clock }) {
      store ??= new MemoryIssueStore({ clock, proofs: async () => proofs })
      return store
    },
    async addWitness(path, text) {
      witnesses.set(path, text)
    },
    chainsOf: async id =>
      (proofs.proofs.get(id) ?? []).map(
        ({ chain }) => `chain-${chain.chainDigest.slice('sha256:'.length)}.json`,
      ),
  }
}

/** All callers share one store, as the workers of a coordinator do. */
function sharing(backend: IssueBackend): IssueBackend {
  let store: SharedIssueStore | undefined
  return {
    ...backend,
    open(options) {
      store ??= new SharedIssueStore(backend.open(options))
      return store
    },
  }
}

describeIssueStore('the file backend', fileBackend)
describeIssueStore('the memory backend', memoryBackend)
describeIssueStore('a shared store', () => sharing(fileBackend()))
