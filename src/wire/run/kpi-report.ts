import { z } from 'zod'
import { trajectoryReport } from '../harness/trajectory-report.ts'

const kind = 'premath.multithread.throughput.v1'

const Count = z.int().nonnegative()
const Ratio = z.number().nonnegative()
const Timestamp = z.iso.datetime({ offset: true })

/** What `premath harness-kpi` answers. */
export const KpiReport = z
  .strictObject({
    schema: z.literal(1),
    kpiKind: z.literal(kind),
    windowHours: z.int().positive(),
    windowStart: Timestamp,
    windowEnd: Timestamp.describe('When the newest step finished.'),
    counts: z.strictObject({
      activeWorkers: Count,
      completedRows: Count,
      failedRows: Count,
      windowRows: Count,
      workerIds: z.array(z.string()),
    }),
    ratios: z.strictObject({
      gatePassRate: Ratio,
      kpi: Ratio.describe('throughputPerWorkerPerDay times gatePassRate.'),
      throughputPerWorkerPerDay: Ratio,
    }),
    thresholds: z.strictObject({
      minSampleRows: z.int().positive(),
      rollbackKpi: z.number().positive(),
      targetKpi: z.number().positive(),
    }),
    decision: z.strictObject({
      state: z.enum(['pass', 'watch', 'rollback', 'insufficient_data']),
      reason: z.string(),
    }),
    expansion: z
      .strictObject({
        paused: z.boolean(),
        workersAllowed: z.int().positive().nullable().describe('null where it is not paused.'),
      })
      .describe('Whether more workers may be taken on.'),
    remediation: z
      .strictObject({ at: Timestamp, reason: z.string() })
      .nullable()
      .describe('The last one in the window; only steps after it can pause the expansion.'),
    refs: z.strictObject({
      issuesPath: z.string(),
      sessionPath: z.string(),
      trajectoryPath: z.string(),
    }),
    ...trajectoryReport,
  })
  .meta({ title: kind, description: 'How well the workers did, from the trajectory alone.' })
