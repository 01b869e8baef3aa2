/** Documents and changes whose size comes from the field: they end, and nothing else waits for them. */
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom } from './field-cases.ts'
import { matchedSboms } from './given.ts'
import { isDeep } from './property-runs.ts'

/** Of the real kernel. Fewer are still more than one transaction writes. */
const FLAWS = isDeep ? 7_200 : 1_300
const KERNELS = 18

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

/** As many records about every kernel of a branch as the real kernel has. */
async function givenFlawsOfKernel(): Promise<void> {
  const { db } = service.ctx
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
    await givenFlawsOfKernel()

    const { client, firmwareVersionId } = await givenJudgedSbom(
      service,
      join(folder, 'in.cdx.json'),
    )

    const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`
    const count = async () =>
      (await client.get(path)).json<{ totalActiveIssues: number }>().totalActiveIssues
    const [sbom] = await matchedSboms(client, firmwareVersionId)
    const before = await count()
    const deleted = await client.delete(`/sboms/${sbom?.id ?? ''}`)

    expect([before, deleted.statusCode, await count()]).toEqual([FLAWS * KERNELS, 204, 0])
  })
})
