/** Documents and changes whose size comes from the field: they end, and nothing else waits for them. */
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom } from './field-cases.ts'
import { type Client, givenClient, givenFirmwareVersion, matchedSboms, upload } from './given.ts'
import { rematchOutdatedPackages } from '../src/features/matching/service.ts'
import { isDeep } from './property-runs.ts'

/** Of the real kernel. Fewer are still more than one transaction writes. */
const FLAWS = isDeep ? 7_200 : 1_300
const KERNELS = 18

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
  await givenFlawsOfKernel(service)
})

/** As many records about every kernel of a branch as the real kernel has. */
async function givenFlawsOfKernel({ ctx: { db } }: TestApp): Promise<void> {
  const statements = [
    {
      scheme: 'generic',
      defaultStatus: 'unaffected',
      versions: [{ status: 'affected', text: 'before 6.1', introduced: '5.10', fixed: '6.1' }],
    },
  ]
  const numbers = sql`generate_series(1, ${FLAWS}::int) as n`
  const id = sql`'CVE-2024-' || (100000 + n)`
  await sql`
    insert into vulnerabilities (id, name, severity, is_known_exploit, updated_at)
    select ${id}, 'Flaw ' || n, 'High', false, now() from ${numbers}`.execute(db)
  await sql`
    insert into advisories (source, id, content_hash, aliases, cve_ids, linked_ids, first_seen_at, changed_at)
    select 'nvd', ${id}, '', '{}', array[${id}], '{}', now(), now() from ${numbers}`.execute(db)
  await sql`
    insert into advisory_vulnerabilities (source, advisory_id, vulnerability_id)
    select 'nvd', ${id}, ${id} from ${numbers}`.execute(db)
  await sql`
    insert into advisory_affected (source, advisory_id, key, statements)
    select 'nvd', ${id}, 'cpe:linux:linux_kernel', ${JSON.stringify(statements)}::json from ${numbers}`.execute(
    db,
  )
}

describeFieldCase('b21-many-kernels', (folder) => {
  it('matches all of them, and lets go of them', { timeout: 600_000 }, async () => {
    const { client, firmwareVersionId } = await givenJudgedSbom(
      service,
      join(folder, 'in.cdx.json'),
    )

    const count = () => countActive(client, firmwareVersionId)
    const [sbom] = await matchedSboms(client, firmwareVersionId)
    const before = await count()
    const deleted = await client.delete(`/sboms/${sbom?.id ?? ''}`)

    expect([before, deleted.statusCode, await count()]).toEqual([FLAWS * KERNELS, 204, 0])
  })

  it('matches more kernels, and one under two names once', { timeout: 600_000 }, async () => {
    const releases = Array.from({ length: 40 }, (_, index) => `5.10.${index + 1}`)
    const again = releases.slice(0, KERNELS)
    const client = await givenClient(service)

    const version = await givenKernels(service, client, [...releases, ...again])

    expect(await countActive(client, version)).toBe(FLAWS * releases.length)
  })

  it('finds their flaws when the rules change', { timeout: 600_000 }, async () => {
    const other = await startTestApp()
    await other.startWorker()
    const client = await givenClient(other)
    const releases = Array.from({ length: KERNELS }, (_, index) => `5.10.${index + 1}`)
    const version = await givenKernels(other, client, releases)
    await givenFlawsOfKernel(other)
    const { db } = other.ctx
    await sql`update packages set match_rules_version = match_rules_version - 1`.execute(db)

    await rematchOutdatedPackages(other.ctx, {})

    expect(await countActive(client, version)).toBe(FLAWS * KERNELS)
  })
})

async function countActive(client: Client, firmwareVersionId: string): Promise<number> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`
  return (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
}

/** A version with a kernel of each release, each under a name of its own. */
async function givenKernels(app: TestApp, client: Client, releases: readonly string[]) {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const components = releases.map((version, index) => {
    const cpe = `cpe:2.3:o:linux:linux_kernel:${version}:*:*:*:*:*:*:*`
    return { type: 'operating-system', name: `linux-b${index}`, version, cpe }
  })
  const bytes = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components })
  await upload(app, client, { firmwareVersionId, files: [{ name: 'in.cdx.json', bytes }] })
  await matchedSboms(client, firmwareVersionId)
  return firmwareVersionId
}
