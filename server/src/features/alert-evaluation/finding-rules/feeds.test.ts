/** From uploads and imported feeds to firing findings. */
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  firingCves,
  firingSeries,
  HOUR,
  underClock,
} from '../../../../test/given-non-metric-rules.ts'
import { givenFolder, kevCatalogue, nvdPage } from '../../../../test/given-feeds.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../../test/given.ts'
import { importFeeds } from '../../advisories/index.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  await test.startWorker()
})

/** Waits until packages are matched with the imported advisories. */
async function imports(name: string, content: object): Promise<void> {
  await importFeeds(test.ctx, { path: givenFolder({ [name]: content }) })
  const open = () => test.ctx.db.selectFrom('knowledgeChanges').select('key').executeTakeFirst()
  while (await open()) await delay(50)
}

const nvd = (score: number, modified: string) =>
  nvdPage(
    [
      { id: 'CVE-2026-1000', score, fixed: { 'acme:router': '2.0' }, lastModified: modified },
      { id: 'CVE-2026-1001', score: 3.1, fixed: { 'acme:router': '2.0' } },
    ],
    modified,
  )

it('finds what is new after an upload, a raised score, and a catalogue of exploited vulnerabilities', async () => {
  const clock = underClock(test)
  await imports('nvd.json', nvd(5.5, '2026-01-01T00:00:00.000'))
  const firmwareVersionId = await givenFirmwareVersion(client)
  const cpe = 'cpe:2.3:a:acme:router:1.0:*:*:*:*:*:*:*'
  const component = { type: 'application', name: 'router', version: '1.0', cpe }
  const sbom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [component] }
  const files = [{ name: 'bom.json', bytes: JSON.stringify(sbom) }]
  const condition = { onlyWhereDevicesRun: false, firmwareIds: [] }
  const severe = await clock.rule(client.workspaceId, {
    type: 'NewVulnerabilityFinding',
    condition: { ...condition, severities: ['High', 'Critical'], knownCisaExploit: true },
  })
  const medium = await clock.rule(client.workspaceId, {
    type: 'NewVulnerabilityFinding',
    condition: { ...condition, severities: ['Medium'], knownCisaExploit: false },
  })
  const look = async () => {
    await clock.evaluateAfter(2 * HOUR)
    return [await firingCves(test, severe), await firingCves(test, medium)]
  }
  const before = await look()

  clock.pass(1)
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  const uploaded = await look()
  await imports('nvd.json', nvd(9.8, '2026-02-01T00:00:00.000'))
  const raised = await look()
  await imports('kev.json', kevCatalogue(['CVE-2026-1001'], '2026-08-22T00:00:00.0000Z'))
  const exploited = await look()

  expect(before).toEqual([[], []])
  expect(uploaded).toEqual([[], ['CVE-2026-1000']])
  expect(raised).toEqual([['CVE-2026-1000'], []])
  expect(exploited).toEqual([['CVE-2026-1000', 'CVE-2026-1001'], []])
  expect(
    (await firingSeries(test, severe)).map(({ label, value }) => `${label ?? ''} ${value ?? ''}`),
  ).toEqual([
    expect.stringMatching(/^CVE-2026-1000 in router 1\.0, fw-[\w-]+ 1\.0\.0 \(Critical\) 9\.8/),
    expect.stringMatching(/^CVE-2026-1001 in router 1\.0, .* \(Low, known exploited\) 3\.1/),
  ])
})
