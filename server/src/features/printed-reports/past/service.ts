/** Reads what the reports of a past instant say. */
import { parsePastInstant } from '../../../formats/instants.ts'
import { isVulnerabilityId } from '../../../formats/vulnerability-ids.ts'
import type { AppContext } from '../../../platform/context.ts'
import { notFound } from '../../../platform/errors.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import {
  countLookedAt,
  type FindingsAt,
  findKnownVulnerability,
} from '../../vulnerabilities/index.ts'
import { type ReportRequest, readAtOnce, readImprint } from '../imprint-service.ts'
import { type PastSubject, renderPastReport } from './page.ts'
import * as store from './store.ts'

/** The worst of each table. */
const MOST_FINDINGS = 1000

type Request = ReportRequest & { asOf: string }

export function printPastVersionReport(
  ctx: AppContext,
  input: Request & { firmwareVersionId: string },
): Promise<string> {
  const { workspaceId } = input
  return readAtOnce(ctx, async (at) => {
    const version = await getFirmwareVersion(at.db, workspaceId, input.firmwareVersionId)
    const { id: firmwareVersionId, name, firmware, createdAt } = version
    return printPast(
      at,
      input,
      { firmwareVersionId },
      {
        kind: 'Report of a firmware version',
        title: `${firmware.name} ${name}`,
        page: formatPortalPath('firmwareVersion', { workspaceId, firmwareVersionId }),
        createdAt,
      },
    )
  })
}

export function printPastVulnerabilityReport(
  ctx: AppContext,
  input: Request & { cveId: string },
): Promise<string> {
  const { workspaceId, cveId: named } = input
  return readAtOnce(ctx, async (at) => {
    const { cveId, isKnown } = await findKnownVulnerability(at.db, { workspaceId, named })
    if (!isKnown && !isVulnerabilityId(named)) throw notFound('vulnerability', named)
    return printPast(
      at,
      input,
      { vulnerabilityId: cveId },
      {
        kind: 'Report of a vulnerability',
        title: cveId,
        page: formatPortalPath('vulnerability', { workspaceId, cveId }),
        createdAt: null,
      },
    )
  })
}

async function printPast(
  ctx: AppContext,
  input: Request,
  of: FindingsAt['of'],
  subject: PastSubject,
): Promise<string> {
  const { db } = ctx
  const at = parsePastInstant(input.asOf, ctx.now(), '/query/asOf')
  const past = { workspaceId: input.workspaceId, at, of }
  const limit = MOST_FINDINGS
  return renderPastReport({
    subject,
    imprint: { ...(await readImprint(ctx, input)), asOf: at },
    lookedAt: await countLookedAt(db, past),
    counts: await store.countFindings(db, past),
    activeFindings: await store.listFindings(db, past, { isActive: true, limit }),
    otherFindings: await store.listFindings(db, past, { isActive: false, limit }),
  })
}
