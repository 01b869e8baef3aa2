/** What the doctor finds wrong with what is kept of licences, and mends. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/app.ts'
import { givenVersion } from '../../../test/given-findings.ts'
import { givenClient } from '../../../test/given.ts'
import { licenceChecks } from './checks-service.ts'

const OPTIONS = { readsFiles: false, isDeep: true, onProgress: () => undefined }

it('finds counts that are not what components state, and counts again', async () => {
  const { ctx } = await sharedTestApp()
  const { workspaceId } = await givenClient(await sharedTestApp())
  const { firmwareVersionId } = await givenVersion(ctx, workspaceId, [
    { packageName: 'one', licenses: ['MIT'] },
    { packageName: 'two', licenses: ['MIT'] },
    { packageName: 'three', licenses: [] },
  ])
  const [check] = licenceChecks
  const find = async () => (await check?.find(ctx, workspaceId, OPTIONS))?.faultCount
  const readCounts = async () => {
    const { rows } = await sql<{ count: number }>`
      select component_count as count from firmware_version_licences
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} order by 1`.execute(
      ctx.db,
    )
    return rows.map(({ count }) => count)
  }

  const before = [await readCounts(), await find()]
  await sql`
    update firmware_version_licences set component_count = 7 where workspace_id = ${workspaceId} and component_count = 2`.execute(
    ctx.db,
  )
  const wrong = await find()
  await check?.repair?.(ctx, workspaceId, OPTIONS)

  expect([...before, wrong, await find(), await readCounts()]).toEqual([[1, 2], 0, 1, 0, [1, 2]])
})
