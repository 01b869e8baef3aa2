/** Names of versions from releases that kept spaces around them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/app.ts'
import { givenClient } from '../../../test/given.ts'

const MIGRATION = join(import.meta.dirname, '../../../migrations/0101-visible-version-names.sql')

it('lose the spaces at the upgrade, unless two would be one', async () => {
  const test = await sharedTestApp()
  const client = await givenClient(test)
  const { id } = (await client.post('/firmwares', { slug: 'gw' })).json<{ id: string }>()
  const names = ['1.0\r', '2.0', '2.0 ', ' 3.0', '3.0\u00a0', '\ufeff4.0', 'u\u0308', '5.0 rc 1']
  for (const [index] of names.entries())
    await client.post(`/firmwares/${id}/versions`, { name: `${index}` })
  for (const [index, name] of names.entries())
    await sql`update firmware_versions set name = ${name} where firmware_id = ${id} and name = ${`${index}`}`.execute(
      test.ctx.db,
    )

  for (const statement of readFileSync(MIGRATION, 'utf8').split(/;$/m))
    if (statement.trim() !== '') await sql.raw(statement).execute(test.ctx.db)

  const { firmwareVersions } = (await client.get(`/firmwares/${id}/versions`)).json<{
    firmwareVersions: { name: string }[]
  }>()
  expect(firmwareVersions.map(({ name }) => name).toReversed()).toEqual([
    '1.0',
    '2.0',
    '2.0 ',
    ' 3.0',
    '3.0\u00a0',
    '4.0',
    '\u00fc',
    '5.0 rc 1',
  ])
})
