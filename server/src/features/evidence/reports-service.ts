/** Reports from outside and to upstream, as a bundle has them. Whoever gets a bundle does not learn how whoever reported can be reached. */
import type { AppContext } from '../../platform/context.ts'
import { getReport } from '../disclosure-reports/index.ts'
import { type Bundle, listTexts } from './bundle-service.ts'
import type { BundledOutsideReport, BundledUpstreamReport, ReportCounts } from './bundled.ts'
import * as store from './reports-store.ts'
import type { Subject } from './store.ts'

interface Writer {
  ctx: Pick<AppContext, 'db' | 'now'>
  bundle: Bundle
  subject: Subject
  /** Of the versions of the line. */
  ids: readonly string[]
}

export interface BundledReports extends ReportCounts {
  outsideReports: BundledOutsideReport[]
  upstreamReports: BundledUpstreamReport[]
}

/** `casePaths`: where each case of the bundle is, by its id. */
export async function addReports(
  writer: Writer,
  casePaths: ReadonlyMap<string, string>,
): Promise<BundledReports> {
  const { ctx, subject } = writer
  return {
    outsideReports: await addOutsideReports(writer, casePaths),
    upstreamReports: await addUpstreamReports(writer),
    unassignedReportCount: await store.countUnassignedReports(ctx.db, subject),
  }
}

const namePath = (folder: string, at: Date, id: string) =>
  `${folder}/${at.toISOString().slice(0, 10)}-${id.slice(-12)}`
const listJson = (value: object) => listTexts(`${JSON.stringify(value, null, 2)}\n`)

/** With answers, clocks, decisions and credit as they are now, each with its instant. Notes are for the team alone. */
async function addOutsideReports(
  { ctx, bundle, subject }: Writer,
  casePaths: ReadonlyMap<string, string>,
): Promise<BundledOutsideReport[]> {
  const { workspaceId } = subject
  const bundled: BundledOutsideReport[] = []
  for (const reportId of await store.listReportIds(ctx.db, subject, [...casePaths.keys()])) {
    const held = await getReport(ctx, ctx.db, { workspaceId, reportId })
    const { text, contact, contactErasedAt, events, ...report } = held
    const folder = namePath('reports-from-outside', held.receivedAt, reportId)
    const path = `${folder}/report.json`
    const notes = events.filter(({ kind }) => kind === 'Note')
    await bundle.add(
      path,
      listJson({
        ...report,
        contact: describeContact({ contact, contactErasedAt }),
        case: casePaths.get(report.caseId ?? '') ?? null,
        notesLeftOut: notes.length,
        events: events.filter(({ kind }) => kind !== 'Note'),
      }),
    )
    const textPath = `${folder}/report.txt`
    await bundle.add(textPath, listTexts(text))
    const { title, state, dismissal, receivedAt, credit, clocks } = report
    bundled.push({ path, textPath, title, state, dismissal, receivedAt, credit, clocks })
  }
  return bundled
}

function describeContact(held: { contact: string | null; contactErasedAt: Date | null }): string {
  if (held.contact !== null) return 'Left out: the manufacturer has it'
  return held.contactErasedAt === null ? 'None: anonymous' : 'Erased'
}

async function addUpstreamReports({
  ctx,
  bundle,
  subject,
  ids,
}: Writer): Promise<BundledUpstreamReport[]> {
  const bundled: BundledUpstreamReport[] = []
  for await (const report of store.readUpstreamReports(ctx.db, subject, ids)) {
    const { id, reportedAt, recipient, vulnerabilityId, componentName, fix } = report
    const path = `${namePath('upstream-reports', reportedAt, id)}.json`
    await bundle.add(path, listJson(report))
    const hasFix = fix !== null
    bundled.push({ path, vulnerabilityId, componentName, recipient, reportedAt, hasFix })
  }
  return bundled
}
