/** Gives many vulnerabilities to one member. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { invalid, refuseFaults } from '../../platform/errors.ts'
import { listVulnerabilityIdsOf } from '../advisories/index.ts'
import { assignVulnerabilities } from '../discussions/index.ts'
import { listVulnerabilityIds, type WorkspaceFindingFilter } from '../findings/index.ts'

const MOST = 10_000

interface AssignMany {
  workspaceId: string
  cveIds?: string[]
  filter?: WorkspaceFindingFilter
  subjectId: string | null
  onlySubjectId?: string | null
  dryRun?: boolean
  actor: Actor
}

export async function assignMany(ctx: AppContext, input: AssignMany) {
  const { workspaceId, filter, subjectId, onlySubjectId: only, dryRun, actor } = input
  const vulnerabilityIds = await selectIds(ctx, input)
  const selection = filter ? { filter } : {}
  const change = { workspaceId, vulnerabilityIds, subjectId, only, dryRun, actor }
  return assignVulnerabilities(ctx, { ...change, selection })
}

async function selectIds(
  ctx: AppContext,
  { workspaceId, cveIds, filter }: Pick<AssignMany, 'workspaceId' | 'cveIds' | 'filter'>,
): Promise<string[]> {
  if ((cveIds === undefined) === (filter === undefined))
    throw invalid('State either cveIds or a filter.', cveIds ? '/filter' : '/cveIds')
  if (cveIds) return requireIds(ctx, cveIds)
  if (Object.keys(filter ?? {}).length === 0)
    throw invalid('An empty filter selects every vulnerability. State a condition.', '/filter')
  const asked = { workspaceId, filter: filter ?? {}, limit: MOST + 1 }
  const found = await listVulnerabilityIds(ctx, asked)
  if (found.length <= MOST) return found
  throw invalid(`The filter selects more than ${MOST} vulnerabilities. Narrow it.`, '/filter')
}

async function requireIds(ctx: AppContext, named: readonly string[]): Promise<string[]> {
  const ids = await listVulnerabilityIdsOf(ctx.db, named)
  const faults = named.flatMap((_, index) =>
    ids[index] === undefined ? [{ pointer: `/cveIds/${index}`, detail: 'no source knows it' }] : [],
  )
  refuseFaults(faults, 'cveIds are known to no source')
  return [...new Set(ids.filter((id) => id !== undefined))]
}
