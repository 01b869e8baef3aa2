/** Firmware versions with findings and decisions, without files, feeds or workers. */
import { sql } from 'kysely'
import type { Severity } from '../src/formats/advisories/model.ts'
import { type Decision, matchFirmwareVersion } from '../src/features/findings/index.ts'
import { recordDecisions } from '../src/features/findings/service.ts'
import { countDevices } from '../src/features/findings/workspace-list/refresh-service.ts'
import type { AppContext } from '../src/platform/context.ts'
import { newId } from '../src/platform/ids.ts'
import { type GivenComponent, givenFirmwareVersion, givenSbom } from './given-inventory.ts'
import { affectedIn, type GivenAdvisory, givenAdvisory } from './given-knowledge.ts'

/** What the service does by itself, in time. */
export {
  askForRefreshes,
  refreshKept,
} from '../src/features/findings/workspace-list/refresh-service.ts'
export { countUncountedLicences } from '../src/features/licences/counting-service.ts'
export { matchParsedSbom } from '../src/features/findings/service.ts'
export { countDevices, recordDecisions }

export interface GivenProduct {
  product: string
  cpes: string[]
  /** In the order of the severities. */
  cveIds: string[]
}

/** A product of this test alone, with vulnerabilities of these severities in versions before 2.0. */
export async function givenProduct(
  { db }: AppContext,
  severities: readonly Severity[],
  more: Partial<GivenAdvisory> = {},
): Promise<GivenProduct> {
  const product = `product-${newId()}`
  const cveIds: string[] = []
  for (const [index, severity] of severities.entries()) {
    const id = `CVE-2024-${product}-${index}`
    cveIds.push(id)
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
    await givenAdvisory(db, { id, severity, title: `Flaw ${index}`, affected, ...more })
  }
  return { product, cveIds, cpes: [cpeOf(product, '1.0')] }
}

export const cpeOf = (product: string, version: string) =>
  `cpe:2.3:a:acme:${product}:${version}:*:*:*:*:*:*:*`

export interface GivenVersion {
  workspaceId: string
  firmwareVersionId: string
}

/** A firmware version with the components, matched. */
export async function givenVersion(
  ctx: AppContext,
  workspaceId: string,
  components: GivenComponent[],
): Promise<GivenVersion & { sbomId: string }> {
  const firmwareVersionId = await givenFirmwareVersion(ctx, workspaceId)
  const version = { workspaceId, firmwareVersionId }
  return { ...version, sbomId: await givenMatchedSbom(ctx, version, components) }
}

/** An SBOM of the version, and its packages matched. */
export async function givenMatchedSbom(
  ctx: AppContext,
  version: GivenVersion,
  components: GivenComponent[],
): Promise<string> {
  const sbomId = await givenSbom(ctx, { ...version, components })
  await matchFirmwareVersion(ctx, version)
  return sbomId
}

/** Decides about all the version's findings of a vulnerability. */
export async function givenDecision(
  ctx: AppContext,
  { workspaceId, firmwareVersionId }: GivenVersion,
  decision: Pick<Decision, 'vulnerabilityId'> & Partial<Decision>,
): Promise<void> {
  const held = await ctx.db
    .selectFrom('firmwareVersionPackages as fact')
    .innerJoin('packageMatches as match', 'match.packageId', 'fact.packageId')
    .select('fact.packageId')
    .where('fact.workspaceId', '=', workspaceId)
    .where('fact.firmwareVersionId', '=', firmwareVersionId)
    .where('match.vulnerabilityId', '=', decision.vulnerabilityId)
    .execute()
  const by = { source: 'User' as const, createdByEmail: 'ann@example.com' }
  const decisions = held.map((one) => ({ ...by, ...decision, ...one, firmwareVersionId }))
  await ctx.db.transaction().execute((tx) => recordDecisions(ctx, tx, { workspaceId, decisions }))
}

/** As if this many devices reported exactly these versions, and a job had counted them since. */
export async function givenRunning(
  ctx: AppContext,
  devices: number,
  ...versions: readonly GivenVersion[]
): Promise<void> {
  const ids = versions.map(({ firmwareVersionId }) => firmwareVersionId).toSorted()
  await sql`
    insert into firmware_set_device_counts as counts (workspace_id, firmware_version_ids, devices)
    values (${versions[0]?.workspaceId}, ${ids}::uuid[], ${devices})
    on conflict (workspace_id, firmware_version_ids) do update set devices = excluded.devices`.execute(
    ctx.db,
  )
  await countDevices(ctx, { workspaceId: versions[0]?.workspaceId ?? '' })
}
