/** Lists the findings of a workspace grouped by vulnerability. */
import type { AppContext } from '../../platform/context.ts'
import {
  countHeldVersions,
  describeVulnerabilities,
  listVulnerabilityRows,
  type ListRequest,
  type ListScope,
  nameComponents,
  openWorkspaceList,
  type VulnerabilitySortColumn,
  withUndecided,
} from '../findings/index.ts'

type ListVulnerabilities = ListRequest<VulnerabilitySortColumn>

const MOST_SHOWN_COMPONENTS = 5

export async function listVulnerabilities(ctx: AppContext, input: ListVulnerabilities) {
  const asked = { ...input, sortColumn: input.sortColumn ?? ('Risk' as const) }
  const { page, query } = await openWorkspaceList(ctx, 'vulnerabilities', asked)
  const { rows, total } = await listVulnerabilityRows(ctx.db, query)
  const cut = await page.cutAndCount(
    rows,
    ({ sortValues }) => sortValues,
    () => Promise.resolve(total),
  )
  const ids = cut.page.map(({ vulnerabilityId }) => vulnerabilityId)
  return { vulnerabilities: await describe(ctx, query, ids), ...cut.next, ...cut.total }
}

async function describe({ db }: Pick<AppContext, 'db'>, scope: ListScope, ids: readonly string[]) {
  const described = await describeVulnerabilities(db, scope, ids)
  const packageIds = [...new Set(described.flatMap((one) => one.packageIds))]
  const [counts, components] = await Promise.all([
    countHeldVersions(db, scope, new Map(described.map((one) => [one.cveId, one.packageIds]))),
    nameComponents(db, scope, packageIds),
  ])
  const descriptions = new Map(described.map((one) => [one.cveId, one]))
  return ids.flatMap((cveId) => {
    const found = descriptions.get(cveId)
    if (!found) return []
    const { packageIds: held, ...shown } = found
    return {
      ...shown,
      assessments: withUndecided(found.assessments, found.findingCount),
      firmwareVersionCount: counts.get(cveId)?.versions ?? 0,
      affectedDeviceCount: counts.get(cveId)?.devices ?? 0,
      componentCount: held.length,
      components: newestOf(components, new Set(held)),
    }
  })
}

/** `components` are in the order of their newest firmware versions. */
function newestOf(
  components: Awaited<ReturnType<typeof nameComponents>>,
  packageIds: ReadonlySet<string>,
) {
  const chosen = []
  for (const { packageId, name, version } of components) {
    if (!packageIds.has(packageId)) continue
    chosen.push({ name, version })
    if (chosen.length === MOST_SHOWN_COMPONENTS) break
  }
  return chosen
}
