/** Lists the findings of a workspace grouped by vulnerability. */
import type { AppContext } from '../../platform/context.ts'
import { openPage } from '../../platform/http/paging.ts'
import {
  countHeld,
  isWhole,
  readHeldVersions,
  readMagnitudes,
  readState,
  withSwitches,
  withUndecided,
  type WorkspaceFindingFilter,
} from '../findings/index.ts'
import type { VulnerabilitySortColumn } from './sort-columns.ts'
import * as store from './store.ts'

interface ListVulnerabilities {
  workspaceId: string
  sortColumn?: VulnerabilitySortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: WorkspaceFindingFilter
}

const MOST_SHOWN_COMPONENTS = 5

export async function listVulnerabilities(ctx: AppContext, input: ListVulnerabilities) {
  const { workspaceId, sortColumn = 'Risk', ascending = false } = input
  const filter = await withSwitches(ctx, workspaceId, input.filter ?? {})
  const scope = ['vulnerabilities', workspaceId, sortColumn, ascending, filter]
  const page = openPage(ctx, scope, input)
  const query = {
    workspaceId,
    sortColumn,
    ascending,
    limit: page.rowLimit,
    moment: { at: page.asOf, isPast: false },
    ...(await readState(ctx, { workspaceId, filter }, page)),
    after: page.after,
  }
  const isRead = sortColumn === 'Risk' && !isWhole(query)
  const magnitudes = isRead ? await readMagnitudes(ctx.db, query) : undefined
  const { rows, total } = await store.listVulnerabilities(ctx.db, { ...query, magnitudes })
  const cut = await page.cutAndCount(
    rows,
    ({ sortValues }) => sortValues,
    () => Promise.resolve(total),
  )
  const vulnerabilities = await describe(ctx, query, cut.page)
  return { vulnerabilities, ...cut.next, ...cut.total }
}

async function describe(
  { db }: Pick<AppContext, 'db'>,
  query: store.Scope & { isCurrent: boolean },
  page: readonly store.VulnerabilityRow[],
) {
  const described = await store.describeVulnerabilities(
    db,
    query,
    page.map(({ cveId }) => cveId),
  )
  const packageIds = [...new Set(described.flatMap((one) => one.packageIds))]
  const [held, components] = await Promise.all([
    readHeldVersions(db, query, packageIds),
    store.nameComponents(db, query, packageIds),
  ])
  const counts = countHeld(held, new Map(described.map((one) => [one.cveId, one.packageIds])))
  const findings = new Map(described.map((one) => [one.cveId, one]))
  return page.flatMap(({ cveId, severity, cvssScore }) => {
    const found = findings.get(cveId)
    if (!found) return []
    const { packageIds: ids, isKnownExploit, ...shown } = found
    return {
      severity,
      cvssScore,
      ...shown,
      isKnownCisaExploit: isKnownExploit,
      assessments: withUndecided(found.assessments, found.findingCount),
      firmwareVersionCount: counts.get(cveId)?.versions ?? 0,
      affectedDeviceCount: counts.get(cveId)?.devices ?? 0,
      componentCount: ids.length,
      components: newestOf(components, new Set(ids)),
    }
  })
}

/** `components` are in the order of their newest firmware versions. */
function newestOf(components: readonly store.NamedComponent[], packageIds: ReadonlySet<string>) {
  const chosen = []
  for (const { packageId, name, version } of components) {
    if (!packageIds.has(packageId)) continue
    chosen.push({ name, version })
    if (chosen.length === MOST_SHOWN_COMPONENTS) break
  }
  return chosen
}
