/** One search over everything that a workspace has, as far as the principal may read it. */
import type { AppContext } from '../../../platform/context.ts'
import { isVulnerabilityId } from '../../../formats/vulnerability-ids.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { Principal, Scope } from '../../auth/index.ts'
import { findKnownVulnerability } from '../../vulnerabilities/index.ts'
import * as store from './store.ts'

export const SEARCH_KINDS = [
  'Vulnerability',
  'FirmwareVersion',
  'Firmware',
  'Component',
  'Device',
  'DeploymentCohort',
  'AlertRule',
] as const

interface Result {
  kind: (typeof SEARCH_KINDS)[number]
  id: string
  title: string
  subtitle: string | null
  firmwareId?: string
  component?: { name: string; version: string | null }
}
interface RankedResult {
  rank: number
  result: Result
}

const DEFAULT_LIMIT = 20

export interface Search extends Pick<Principal, 'workspaceId' | 'scopes'> {
  q: string
  limit?: number
}

export async function search({ db }: Pick<AppContext, 'db'>, input: Search) {
  const { workspaceId, scopes, limit = DEFAULT_LIMIT } = input
  const text = input.q.trim().toLowerCase()
  if (text === '') return { results: [], vulnerability: null }
  const sought = { workspaceId, text, limit }
  const found: RankedResult[] = []
  for (const { scope, find } of SEARCHES)
    if (scopes.has(scope)) for (const each of await find(db, sought)) found.push(each)
  const order = ({ rank, result }: RankedResult) =>
    rank * SEARCH_KINDS.length + SEARCH_KINDS.indexOf(result.kind)
  const results = found
    .toSorted((a, b) => order(a) - order(b))
    .slice(0, limit)
    .map(({ result }) => result)
  return { results, vulnerability: await named(db, workspaceId, input.q.trim()) }
}

type Find = (db: Db, sought: store.SearchQuery) => Promise<RankedResult[]>

const SEARCHES: readonly { scope: Scope; find: Find }[] = [
  { scope: 'Vulnerabilities: read', find: of('Vulnerability', store.searchVulnerabilities) },
  { scope: 'Firmware: read', find: of('FirmwareVersion', store.searchVersions) },
  { scope: 'Firmware: read', find: of('Firmware', store.searchFirmwares) },
  { scope: 'SBOMs: read', find: findComponents },
  { scope: 'Devices: read', find: of('Device', store.searchDevices) },
  { scope: 'Deployments: read', find: of('DeploymentCohort', store.searchCohorts) },
  { scope: 'Alerts: read', find: of('AlertRule', store.searchAlertRules) },
]

function of(
  kind: Result['kind'],
  find: (db: Db, sought: store.SearchQuery) => Promise<store.Hit[]>,
): Find {
  return async (db, sought) =>
    (await find(db, sought)).map(({ rank, ...hit }) => ({ rank, result: { kind, ...hit } }))
}

async function findComponents(db: Db, sought: store.SearchQuery): Promise<RankedResult[]> {
  const hits = await store.searchComponents(db, sought)
  return hits.map(({ rank, name, version, versionCount }) => ({
    rank,
    result: {
      kind: 'Component',
      id: `${name}@${version ?? ''}`,
      title: version === null ? name : `${name} ${version}`,
      subtitle: `in ${versionCount} firmware ${versionCount === 1 ? 'version' : 'versions'}`,
      component: { name, version },
    },
  }))
}

/** Tells of a text that is an id whether any source knows it, and whether the workspace has it. */
async function named(db: Db, workspaceId: string, text: string) {
  return isVulnerabilityId(text) ? findKnownVulnerability(db, { workspaceId, named: text }) : null
}
