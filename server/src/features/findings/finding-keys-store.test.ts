import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { newId } from '../../platform/ids.ts'
import { encodeFindingId } from './finding-id.ts'
import { decodeFindingIdSql, encodeFindingIdSql } from './finding-keys-store.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

it.each(['CVE-2026-1', 'CVE-2026-12', 'GHSA-aaaa-bbbb-cccc', `X-${'~'.repeat(148)}`])(
  'an id with %s is the same in SQL, and is read back',
  async (vulnerabilityId) => {
    const key = { firmwareVersionId: newId(), packageId: newId(), vulnerabilityId }

    const { rows } = await sql<{ id: string }>`
      select *, ${decodeFindingIdSql(sql`encoded.id`)} from (
        select ${encodeFindingIdSql({
          firmwareVersionId: sql`${key.firmwareVersionId}::uuid`,
          packageId: sql`${key.packageId}::uuid`,
          vulnerabilityId: sql`${vulnerabilityId}::text`,
        })} as id
      ) as encoded`.execute(test.ctx.db)

    expect(rows).toEqual([{ id: encodeFindingId(key), ...key }])
  },
)
