/** A member watches a vulnerability. It changes nothing for others, so the audit log does not have it. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { findMemberOf } from '../discussions/index.ts'
import { readVulnerability } from '../vulnerabilities/index.ts'
import type { KnownState } from './known-state.ts'
import * as store from './store.ts'

/** The most that one person may watch in a workspace. */
const MOST_WATCHES = 200

interface Asked {
  workspaceId: string
  actor: Actor
}

export interface OneVulnerability {
  workspaceId: string
  cveId: string
}

export async function listMyWatches(ctx: AppContext, { workspaceId, actor }: Asked) {
  const personId = await findMemberOf(ctx.db, workspaceId, actor)
  const watches = await store.listWatches(ctx.db, { workspaceId, personId })
  return { watches, isMailConfigured: ctx.mailer !== undefined }
}

export async function readMyWatch(ctx: AppContext, asked: Asked & OneVulnerability) {
  const { cveId } = await readVulnerability(ctx, asked)
  return describe(ctx, { ...asked, cveId })
}

async function describe(ctx: AppContext, { workspaceId, cveId, actor }: Asked & OneVulnerability) {
  const personId = await findMemberOf(ctx.db, workspaceId, actor)
  const watch = await store.readWatch(ctx.db, { workspaceId, personId, vulnerabilityId: cveId })
  const isMailConfigured = ctx.mailer !== undefined
  return { cveId, isWatched: watch.watchedAt !== null, ...watch, isMailConfigured }
}

export async function changeWatch(
  ctx: AppContext,
  { isWatched, ...asked }: Asked & OneVulnerability & { isWatched: boolean },
) {
  const { workspaceId, actor } = asked
  const personId = await findMemberOf(ctx.db, workspaceId, actor)
  if (personId === undefined)
    throw new AppError('conflict', 'nobody-to-tell', 'Whoever made the key is no member.')
  const { cveId: vulnerabilityId, known } = await readKnownState(ctx, asked)
  const one = { workspaceId, personId, vulnerabilityId }
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockWatches(tx, one)
    if (!isWatched) return store.deleteWatch(tx, one)
    const present = await store.listWatches(tx, one)
    if (present.some(({ cveId }) => cveId === vulnerabilityId)) return
    if (present.length >= MOST_WATCHES)
      throw new AppError(
        'conflict',
        'too-many-watches',
        `You watch ${MOST_WATCHES} vulnerabilities in this workspace; more are not taken.`,
      )
    await store.insertWatch(tx, { ...one, at: ctx.now(), known })
  })
  return describe(ctx, { ...asked, cveId: vulnerabilityId })
}

/** As it is now, and what it is known by. */
export async function readKnownState(
  ctx: AppContext,
  asked: OneVulnerability,
): Promise<{ cveId: string; known: KnownState }> {
  const { cveId, vulnerability, ...found } = await readVulnerability(ctx, asked)
  const findings = found.findings.map(({ id, firmwareVersion, component }) => {
    const version = component.version === null ? '' : ` ${component.version}`
    return [id, `${nameVersion(firmwareVersion)} (${component.name}${version})`] as const
  })
  const fixedIn = found.fixedIn.map(
    ({ firmwareVersion }) => [firmwareVersion.id, nameVersion(firmwareVersion)] as const,
  )
  const known: KnownState = {
    severity: vulnerability?.severity ?? null,
    exploitedSources: vulnerability?.exploitedSources.map(({ source }) => source) ?? [],
    isDisputed: vulnerability?.isDisputed ?? false,
    records: found.records.map(({ source, id, isWithdrawn, modifiedAt }) => ({
      source,
      id,
      isWithdrawn,
      modifiedAt,
    })),
    findingCount: found.findingCount,
    findings: Object.fromEntries(findings),
    fixedIn: Object.fromEntries(fixedIn),
    decisions: found.timeline.map((entry) => ({
      type: entry.type,
      at: entry.timestamp.toISOString(),
      source: entry.source,
      email: entry.createdByEmail,
      assessment: entry.assessment,
      isUndo: entry.isUndo,
      findingCount: entry.findingCount,
    })),
  }
  return { cveId, known }
}

const nameVersion = ({ firmware, name }: { firmware: { name: string }; name: string }) =>
  `${firmware.name} ${name}`
