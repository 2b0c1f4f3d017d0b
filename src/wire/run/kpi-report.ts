import { trajectoryReport } from '../harness/trajectory-report.ts'
import { Timestamp } from '../primitives.ts'
import {
  about,
  amount,
  artifact,
  count,
  flag,
  list,
  literal,
  nullable,
  positive,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.multithread.throughput.v1'

/** What `premath harness-kpi` answers. */
export const KpiReport = artifact(
  kind,
  'How well the workers did, from the trajectory alone.',
  record({
    schema: literal(1),
    kpiKind: literal(kind),
    windowHours: positive,
    windowStart: Timestamp,
    windowEnd: about(Timestamp, 'When the newest step finished.'),
    counts: record({
      activeWorkers: count,
      completedRows: count,
      failedRows: count,
      windowRows: count,
      workerIds: list(text),
    }),
    ratios: record({
      gatePassRate: amount,
      kpi: about(amount, 'throughputPerWorkerPerDay times gatePassRate.'),
      throughputPerWorkerPerDay: amount,
    }),
    thresholds: record({
      minSampleRows: positive,
      rollbackKpi: { is: 'number', above: 0 },
      targetKpi: { is: 'number', above: 0 },
    }),
    decision: record({
      state: word(['pass', 'watch', 'rollback', 'insufficient_data']),
      reason: text,
    }),
    expansion: about(
      record({
        paused: flag,
        workersAllowed: nullable(positive, 'null where it is not paused.'),
      }),
      'Whether more workers may be taken on.',
    ),
    remediation: nullable(
      record({ at: Timestamp, reason: text }),
      'The last one in the window; only steps after it can pause the expansion.',
    ),
    refs: record({
      issuesPath: text,
      sessionPath: text,
      trajectoryPath: text,
    }),
    ...trajectoryReport,
  }),
)
export type KpiReport = ValueOf<typeof KpiReport>
