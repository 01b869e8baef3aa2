/** Firmware versions with components, without parsing an SBOM file. */
import { sql } from 'kysely'
import { updateFindingFacts } from '../src/features/findings/index.ts'
import { lockFirmwareVersion } from '../src/features/firmware/index.ts'
import { keepLicencesOfVersion } from '../src/features/licences/index.ts'
import { identifyPackage, listPackageKeys } from '../src/formats/identity.ts'
import type { AppContext } from '../src/platform/context.ts'
import { newId } from '../src/platform/ids.ts'

export interface GivenComponent {
  packageName: string
  vendor?: string
  version?: string
  purl?: string
  cpes?: string[]
  addresses?: string[]
  licenses?: readonly string[]
  /** Node numbers of direct parents; without parents the node is a root. */
  parents?: number[]
}

export async function givenFirmwareVersion(ctx: AppContext, workspaceId: string): Promise<string> {
  const [firmwareId, id] = [newId(), newId()]
  const at = ctx.now()
  await ctx.db
    .insertInto('firmwares')
    .values({
      workspaceId,
      id: firmwareId,
      slug: firmwareId,
      name: 'Gateway',
      createdAt: at,
      updatedAt: at,
    })
    .execute()
  await ctx.db
    .insertInto('firmwareVersions')
    .values({ workspaceId, id, firmwareId, name: '1.0', createdAt: at })
    .execute()
  return id
}

export interface GivenSbom {
  workspaceId: string
  firmwareVersionId: string
  components: GivenComponent[]
  fileName?: string
}

/** Writes packages and inventory in the order the SBOM use case does: packages commit first. */
export async function givenSbom(ctx: AppContext, given: GivenSbom): Promise<string> {
  const { workspaceId, firmwareVersionId, components, fileName = 'image.spdx.json' } = given
  const sbomId = newId()
  const at = ctx.now()
  const identified = components.map((component) =>
    identifyPackage({
      vendor: undefined,
      version: undefined,
      purl: undefined,
      cpes: [],
      scope: undefined,
      builtFrom: undefined,
      ...component,
    }),
  )
  for (const one of identified) await insertPackage(ctx, one)
  await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    await tx
      .insertInto('sboms')
      .values({
        workspaceId,
        id: sbomId,
        firmwareVersionId,
        fileName,
        parsingState: 'Succeeded',
        sizeBytes: 1,
        sha256: sbomId,
        createdAt: at,
        parsedAt: at,
      })
      .execute()
    for (const [node, component] of components.entries()) {
      const one = identified[node]
      const packageId = one && 'identity' in one ? one.identity.id : null
      const sourceName = one && 'identity' in one ? (one.sourceName ?? null) : null
      await sql`
        insert into sbom_components (workspace_id, sbom_id, node, id, vendor, package_name, version, purl, cpes,
          licenses, hashes, package_id, source_name)
        values (${workspaceId}, ${sbomId}, ${node}, ${newId()}, ${component.vendor ?? null}, ${component.packageName},
          ${component.version ?? null}, ${component.purl ?? null}, ${component.cpes ?? []}, ${component.licenses ?? []}, '[]',
          ${packageId}, ${sourceName})`.execute(tx)
      const { parents = [] } = component
      const label = `${component.packageName}@${component.version ?? ''}`
      await sql`
        insert into sbom_graph_nodes (workspace_id, sbom_id, node, label, parents, next, distance)
        values (${workspaceId}, ${sbomId}, ${node}, ${label}, ${parents}, ${parents[0] ?? null},
          ${parents.length === 0 ? 0 : 1})`.execute(tx)
    }
    await updateFindingFacts(ctx, tx, { workspaceId, firmwareVersionId, cause: 'SbomParsed' })
    await keepLicencesOfVersion(tx, { workspaceId, firmwareVersionId })
  })
  return sbomId
}

async function insertPackage(
  ctx: AppContext,
  identified: ReturnType<typeof identifyPackage>,
): Promise<void> {
  if (!('identity' in identified)) return
  const { identity } = identified
  await sql`
    insert into packages (id, identity, created_at)
    values (${identity.id}, ${JSON.stringify(identity)}::jsonb, ${ctx.now()}) on conflict do nothing`.execute(
    ctx.db,
  )
  for (const key of listPackageKeys(identity))
    await sql`insert into package_keys values (${key}, ${identity.id}) on conflict do nothing`.execute(
      ctx.db,
    )
}

export async function removeSbom(
  ctx: AppContext,
  {
    workspaceId,
    firmwareVersionId,
    sbomId,
  }: { workspaceId: string; firmwareVersionId: string; sbomId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    await tx
      .deleteFrom('sboms')
      .where('workspaceId', '=', workspaceId)
      .where('id', '=', sbomId)
      .execute()
    await updateFindingFacts(ctx, tx, { workspaceId, firmwareVersionId, cause: 'SbomDeleted' })
    await keepLicencesOfVersion(tx, { workspaceId, firmwareVersionId })
  })
}
