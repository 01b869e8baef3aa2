/** From a public list to a proposal that people see, by the schedules of the service alone: nobody starts anything by hand. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { startFeedServer } from '../../../test/feed-server.ts'
import { kevCatalogue } from '../../../test/given-feeds.ts'
import { cpeOf, givenVersion } from '../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { feedConfig } from '../../../test/given-publishers.ts'
import { givenClient } from '../../../test/given.ts'
import { MINUTE_MS, SECOND_MS } from '../../formats/instants.ts'

const CVE = 'CVE-2026-31431'

it('proposes a case within two minutes after CISA lists a vulnerability, with versions, devices and Member States', async () => {
  const server = await startFeedServer()
  closeAtEndOfFile(server.close)
  const { feeds } = feedConfig(server, mkdtempSync(join(tmpdir(), 'plimsoll-arrival-')))
  const test = await startTestApp({ feeds: { ...feeds, enabled: true, sources: ['kev'] } })
  const client = await givenClient(test)
  const affected = [affectedIn('cpe:acme:shell', [{ fixed: '2.0' }])]
  await givenAdvisory(test.ctx.db, { id: CVE, severity: 'High', title: 'Flaw', affected })
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: 'busybox', cpes: [cpeOf('shell', '1.0')] },
  ])
  const version = (await client.get(`/firmware-versions/${firmwareVersionId}`)).json<{
    firmware: { id: string }
  }>()
  await client.post('/product-lines', {
    name: 'Edge gateway',
    manufacturer: 'Acme GmbH',
    memberStates: ['DE', 'FR'],
    firmwareIds: [version.firmware.id],
  })
  await sql`
    insert into firmware_set_device_counts (workspace_id, firmware_version_ids, devices)
    values (${client.workspaceId}, ${[firmwareVersionId]}::uuid[], 7)`.execute(test.ctx.db)
  await sql`
    insert into firmware_version_device_counts (workspace_id, firmware_version_id, connected, seen_hour, devices)
    values (${client.workspaceId}, ${firmwareVersionId}, true, 0, 7)`.execute(test.ctx.db)
  server.put('/kev.json', kevCatalogue([CVE], '2026-11-30T00:00:00.000Z'))

  const arrivedAt = performance.now()
  await test.startWorker()
  const proposed = await expect
    .poll(
      async () =>
        (await client.get(`/cases?cveId=${CVE}`)).json<{ cases: { id: string }[] }>().cases,
      { timeout: 10 * MINUTE_MS, interval: SECOND_MS },
    )
    .toHaveLength(1)
    .then(async () => (await client.get(`/cases?cveId=${CVE}`)).json<{ cases: { id: string }[] }>())
  const tookMs = performance.now() - arrivedAt

  const shown = (await client.get(`/cases/${proposed.cases[0]?.id}`)).json<object>()
  expect(shown).toMatchObject({
    state: 'Proposed',
    origin: 'Finding',
    listedOn: '2026-01-01',
    memberStates: ['DE', 'FR'],
    productLines: [{ name: 'Edge gateway' }],
    deviceCount: 7,
    versions: [{ firmwareVersionId, deviceCount: 7, components: [{ name: 'busybox' }] }],
    clocks: [],
  })
  expect(tookMs).toBeLessThan(2 * MINUTE_MS)
})
