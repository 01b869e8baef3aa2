/** A decision on a vulnerability may also hold for findings that are yet to come. */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import type { WorkspaceFindingFilter, NewFindings } from '../../findings/index.ts'
import { recordDecisionsOrEnds } from '../acceptances/ends-service.ts'
import { chooseDecisionSource } from '../service.ts'
import * as store from './store.ts'

type Context = Pick<AppContext, 'now'>

export interface About {
  cveId: string
  componentName: string | null
  /** null: in all release lines. */
  lineId: string | null
}

/**
 * What a filter is about, if findings to come can be told by it: one vulnerability, in all components or in one by name, in all versions
 * or in those of one release line.
 */
export function readFilterSubject({
  cveIds,
  components,
  lineIds,
  ...others
}: WorkspaceFindingFilter): About {
  const [cveId, ...moreIds] = cveIds ?? []
  const [component, ...moreComponents] = components ?? []
  const { packageName, ...more } = component ?? {}
  const [lineId = null, ...moreLines] = lineIds ?? []
  const isPlain =
    moreIds.length + moreComponents.length + moreLines.length + Object.keys(more).length === 0
  const isWhole = Object.values(others).every((value) => value === undefined)
  if (cveId === undefined || !isPlain || !isWhole || lineIds?.length === 0)
    throw invalid(
      'alsoFuture needs a filter with one id in cveIds, at most one packageName in components, at most one id in lineIds, and nothing else.',
      '/filter',
    )
  return { cveId, componentName: packageName ?? null, lineId }
}

type StatedDecision = Partial<
  Pick<store.StandingDecision, 'assessment' | 'ignored' | 'acceptance' | 'justification' | 'detail'>
> & { responses?: readonly string[] }

export async function putStandingDecision(
  { now }: Context,
  tx: Tx,
  input: { workspaceId: string; about: About; decision: StatedDecision; actor: Actor },
): Promise<store.RestoredStanding> {
  const { workspaceId, about, decision, actor } = input
  if (about.lineId !== null && !(await store.lockLine(tx, workspaceId, about.lineId)))
    throw invalid('The release line is gone.', '/filter/lineIds/0')
  return store.putStandingDecision(tx, workspaceId, {
    id: newId(),
    vulnerabilityId: await store.resolveVulnerability(tx, about.cveId),
    componentName: about.componentName,
    lineId: about.lineId,
    assessment: decision.assessment ?? null,
    ignored: decision.ignored ?? false,
    acceptance: decision.acceptance ?? null,
    justification: decision.justification ?? null,
    responses: [...(decision.responses ?? [])],
    detail: decision.detail ?? null,
    source: chooseDecisionSource(actor),
    createdAt: now(),
    createdByEmail: actor.email ?? null,
  })
}

/** Decides new findings that nobody else has. Their packages are locked, or their version and its packages are. */
export async function applyStandingDecisions(
  ctx: Context,
  tx: Tx,
  findings: NewFindings,
): Promise<void> {
  const { workspaceId } = findings
  const applied = await store.listApplied(tx, findings)
  await recordDecisionsOrEnds(ctx, tx, { workspaceId, decisions: applied.map(asDecision) })
}

function asDecision(standing: store.AppliedDecision) {
  const { firmwareVersionId, packageId, vulnerabilityId, assessment, ignored, acceptance } =
    standing
  const { justification, responses, detail, createdByEmail, createdAt, lineId } = standing
  return {
    firmwareVersionId,
    packageId,
    vulnerabilityId,
    ...(assessment !== null && {
      assessment,
      justification,
      responses,
      detail,
      assessedLineId: lineId,
    }),
    ...(ignored && { ignored, acceptance, ignoredLineId: lineId }),
    source: 'CarriedOver' as const,
    origin: 'Person' as const,
    createdByEmail,
    decidedAt: createdAt,
  }
}

/** Findings that it decided stay decided. */
export async function deleteStandingDecision(
  ctx: AppContext,
  input: { workspaceId: string; standingDecisionId: string; actor: Actor },
): Promise<void> {
  const { workspaceId, standingDecisionId: id, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    const before = isUuid(id) ? await store.deleteStandingDecision(tx, workspaceId, id) : undefined
    if (!before) throw notFound('standing decision', id)
    const entry = { workspaceId, actor, resourceType: 'standing-decision', resourceId: before.id }
    await recordAudit(ctx, tx, { ...entry, action: 'standing-decision.delete', before })
  })
}
