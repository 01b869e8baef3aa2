/** The map of the law: what Plimsoll does for each point here, and what the team wrote about what stays with people. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { readName } from '../../formats/one-line-name.ts'
import { findNewestSeal, recordAudit } from '../audit/index.ts'
import { listAllCases } from '../cases/index.ts'
import { listAllReports, readPolicy } from '../disclosure-reports/index.ts'
import { listEvidenceKeys } from '../evidence/index.ts'
import { getSourceFreshness } from '../feeds/index.ts'
import { listLines, listRetained } from '../product-lines/index.ts'
import { readPublisherSettings } from '../security-advisories/index.ts'
import { isObligation, OBLIGATION_IDS, type ObligationId, OBLIGATIONS } from './obligations.ts'
import * as store from './store.ts'
import type { WorkspaceFacts } from './told-fact.ts'
import { tellFacts } from './told-facts.ts'

interface Asked {
  workspaceId: string
}

export async function listObligations(ctx: AppContext, { workspaceId }: Asked) {
  const facts = tellFacts(await readFacts(ctx, workspaceId))
  const notes = new Map(
    (await store.listNotes(ctx.db, workspaceId)).map((row) => [row.obligation, row]),
  )
  return {
    computedAt: ctx.now(),
    obligations: OBLIGATION_IDS.map((id) => {
      const { features, ...point } = OBLIGATIONS[id]
      return {
        id,
        ...point,
        features: [...features],
        facts: facts[id],
        note: describeNote(id, notes.get(id)),
      }
    }),
  }
}

async function readFacts(ctx: AppContext, workspaceId: string): Promise<WorkspaceFacts> {
  const { db } = ctx
  const now = ctx.now()
  const { isPublic, contacts, securityTextServedUntil } = await readPublisherSettings(
    ctx,
    db,
    workspaceId,
  )
  const sources = await getSourceFreshness(ctx)
  const { keys } = await listEvidenceKeys(db, { workspaceId })
  const firmware = await store.countFirmware(db, workspaceId)
  return {
    firmware,
    versions: await store.countVersions(db, workspaceId),
    publications: await store.countPublications(db, workspaceId),
    sources: { count: sources.length, staleCount: sources.filter(({ isStale }) => isStale).length },
    publisher: { isPublic, contactCount: contacts.length, servedUntil: securityTextServedUntil },
    disclosure: await readDisclosure(ctx, workspaceId),
    lines: await readLines(ctx, workspaceId, firmware),
    retainedCount: (await listRetained(db, { workspaceId, now })).length,
    evidence: { keyCreatedAt: keys.find(({ retiredAt }) => retiredAt === null)?.createdAt ?? null },
    cases: await readCases(ctx, workspaceId),
    newestSeal: (await findNewestSeal(db, workspaceId)) ?? null,
    now,
  }
}

async function readDisclosure(
  ctx: AppContext,
  workspaceId: string,
): Promise<WorkspaceFacts['disclosure']> {
  const { isPublic, policy } = await readPolicy(ctx.db, workspaceId)
  const reports = await listAllReports(ctx, ctx.db, workspaceId)
  const open = reports.filter(({ state }) => state !== 'Dismissed' && state !== 'Disclosed')
  return {
    isPublic,
    hasPolicy: policy !== null,
    openCount: open.length,
    lateCount: open.filter(({ isLate }) => isLate).length,
  }
}

async function readLines(
  { db, now }: AppContext,
  workspaceId: string,
  { firmwareCount }: store.FirmwareCounts,
): Promise<WorkspaceFacts['lines']> {
  const lines = await listLines(db, workspaceId)
  const month = now().toISOString().slice(0, 7)
  const inLines = new Set(lines.flatMap(({ firmwares }) => firmwares.map(({ id }) => id)))
  return {
    count: lines.length,
    withoutEnd: lines.filter(({ supportEndsIn }) => supportEndsIn === null).length,
    ended: lines.filter(({ supportEndsIn }) => supportEndsIn !== null && supportEndsIn < month)
      .length,
    withoutUse: lines.filter(({ expectedUseYears }) => expectedUseYears === null).length,
    firmwareWithout: firmwareCount - inLines.size,
  }
}

async function readCases(ctx: AppContext, workspaceId: string): Promise<WorkspaceFacts['cases']> {
  const all = await listAllCases(ctx, ctx.db, workspaceId)
  const now = ctx.now()
  const own = all.filter(({ isDrill }) => !isDrill)
  const open = own.filter(({ state }) => state === 'Open')
  const proposed = own.filter(({ state }) => state === 'Proposed')
  const drills = all.filter(({ isDrill }) => isDrill).map(({ createdAt }) => createdAt)
  return {
    open: open.length,
    late: open.filter(({ clocks }) => clocks.some(({ state }) => state === 'Late')).length,
    proposed: proposed.length,
    overdueProposals: proposed.filter(
      ({ assessBefore }) => assessBefore !== null && assessBefore < now,
    ).length,
    drills: drills.length,
    lastDrillAt: drills.toSorted((one, two) => Number(two) - Number(one))[0] ?? null,
  }
}

const UNSAID: store.NoteFields = { responsible: null, dueOn: null, text: null, link: null }

function describeNote(id: ObligationId, row: store.NoteRow | undefined) {
  const { obligation: _, ...said } = row ?? {
    obligation: id,
    ...UNSAID,
    updatedAt: null,
  }
  return { id, ...said }
}

interface OneObligation extends Asked {
  obligationId: string
}

export async function getObligationNote(db: Db, { workspaceId, obligationId }: OneObligation) {
  if (!isObligation(obligationId)) throw notFound('obligation', obligationId)
  const notes = await store.listNotes(db, workspaceId)
  return describeNote(
    obligationId,
    notes.find(({ obligation }) => obligation === obligationId),
  )
}

/** What is written as it stands is no change. */
export async function updateObligationNote(
  ctx: AppContext,
  input: OneObligation &
    Partial<store.NoteFields> & { actor: Actor; precondition?: Precondition | undefined },
) {
  const { workspaceId, actor, precondition } = input
  const after = readFields(input)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockNotes(tx, workspaceId)
    const found = await getObligationNote(tx, input)
    precondition?.(found)
    const before = pickFields(found)
    if (JSON.stringify(before) === JSON.stringify(after)) return found
    const { id } = found
    const { topic } = OBLIGATIONS[id]
    const row = { ...after, updatedAt: ctx.now() }
    await store.writeNote(tx, { workspaceId, obligation: id, ...row })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'obligation.note',
      resourceType: 'obligation',
      resourceId: id,
      before: { ...before, topic },
      after: { ...after, topic },
    })
    return { id, ...row }
  })
}

const pickFields = ({ responsible, dueOn, text, link }: store.NoteFields): store.NoteFields => ({
  responsible,
  dueOn,
  text,
  link,
})

function readFields(given: Partial<store.NoteFields>): store.NoteFields {
  const fields = pickFields({ ...UNSAID, ...given })
  const { responsible, dueOn, link } = fields
  if (dueOn !== null && !isDay(dueOn)) throw invalid(`${dueOn} is not a day.`, '/dueOn')
  return {
    ...fields,
    responsible: responsible === null ? null : readName(responsible, '/responsible'),
    link: link === null ? null : readLink(link),
  }
}

/** The format `date` of a schema takes 30 February. */
const isDay = (text: string) =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

/** Nothing that a browser would run. */
function readLink(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalid('The address must begin with https://.', '/link')
  if (url.username !== '' || url.password !== '')
    throw invalid('The address must not hold a user name or password.', '/link')
  return url.href
}
