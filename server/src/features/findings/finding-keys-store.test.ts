import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import {
  decodeFindingIdSql,
  encodeFindingId,
  encodeFindingIdSql,
} from '../../formats/finding-id.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { newId } from '../../platform/ids.ts'

const ID = sql.raw(
  encodeFindingIdSql({
    firmwareVersionId: 'key.version',
    packageId: 'key.package',
    vulnerabilityId: 'key.cve',
  }),
)

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

it.each(['CVE-2026-1', 'CVE-2026-12', 'GHSA-aaaa-bbbb-cccc', `X-${'~'.repeat(148)}`])(
  'an id with %s is the same in SQL, and is read back',
  async (vulnerabilityId) => {
    const key = { firmwareVersionId: newId(), packageId: newId(), vulnerabilityId }

    const { rows } = await sql<{ id: string }>`
      select *, ${sql.raw(decodeFindingIdSql('encoded.id'))} from (
        select ${ID} as id
        from (
          select ${key.firmwareVersionId}::uuid as version, ${key.packageId}::uuid as package, ${vulnerabilityId}::text as cve
        ) as key
      ) as encoded`.execute(test.ctx.db)

    expect(rows).toEqual([{ id: encodeFindingId(key), ...key }])
  },
)
