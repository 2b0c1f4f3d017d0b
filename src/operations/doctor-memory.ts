/** What can be wrong with issues that load: read off memory, nothing else is touched. */
import { graphIntegrity } from '../kernel/work/dependency-cycle.ts'
import { blockingTypes, type Dependency, fenceOf, type Issue } from '../kernel/work/issue.ts'
import type { IssueMemory } from '../kernel/work/issue-memory.ts'
import { isContended, leaseStateAt } from '../kernel/work/lease-state.ts'
import { type DoctorFinding, type Examined, finding } from './doctor-finding.ts'

export function examineMemory(memory: IssueMemory, now: bigint): Examined {
  const issues = memory.all()
  return {
    checks: ['cycles', 'dangling', 'fences', 'leases'],
    findings: [
      ...cycles(memory),
      ...issues.flatMap(issue => danglingEdges(issue, memory)),
      ...issues.flatMap(fence),
      ...issues.flatMap(issue => lease(issue, now)),
    ],
  }
}

function cycles(memory: IssueMemory): DoctorFinding[] {
  const { cyclePath } = graphIntegrity(memory, 'full')
  if (!cyclePath) return []
  const [first = '', second = ''] = cyclePath
  return [
    finding(
      'cycles',
      `issues depend on each other: ${cyclePath.join(' -> ')}`,
      'None of them can be first, so work on them can wait for ever.',
      `Remove one edge of the path: premath dep remove ${first} ${second}.`,
    ),
  ]
}

function danglingEdges({ id, status, dependencies }: Issue, memory: IssueMemory): DoctorFinding[] {
  const why = (edge: Dependency) =>
    blockingTypes.has(edge.type) && status !== 'closed'
      ? `What is missing can never be closed, so ${id} can never start.`
      : 'The edge says nothing any more.'
  return dependencies
    .filter(edge => !memory.has(edge.depends_on_id))
    .map(edge =>
      finding(
        'dangling',
        `${id} depends on ${edge.depends_on_id} (${edge.type}), which does not exist`,
        why(edge),
        `premath dep remove ${id} ${edge.depends_on_id} --type ${edge.type}, or add the issue with --id ${edge.depends_on_id}.`,
      ),
    )
}

function fence(issue: Issue): DoctorFinding[] {
  const last = fenceOf(issue)
  if (last >= 0 && Number.isSafeInteger(last + 1)) return []
  return [
    finding(
      'fences',
      `the fence of ${issue.id} is ${last}`,
      'It cannot grow, so the issue cannot be claimed: a worker thought dead could still write.',
      `Put back the last fence of ${issue.id} in metadata.premathFence, from version control.`,
    ),
  ]
}

function lease(issue: Issue, now: bigint): DoctorFinding[] {
  const { id, lease, status, assignee } = issue
  if (!lease) return []
  if (leaseStateAt(lease, now) === 'stale') {
    return [
      finding(
        'leases',
        `the lease of ${lease.owner} on ${id} ran out at ${lease.expires_at}`,
        'Whoever held it has stopped, or is working on without the right to write.',
        `premath issue claim-next takes it over; premath issue lease-release ${id} gives it back.`,
      ),
    ]
  }
  if (!isContended(issue, now)) return []
  return [
    finding(
      'leases',
      `${id} is leased by ${lease.owner}, but is ${status} and assigned to ${assignee || 'nobody'}`,
      'The lease and the issue disagree about who works on it.',
      `Ask ${lease.owner} to renew or release it; the lease ends at ${lease.expires_at}.`,
    ),
  ]
}
