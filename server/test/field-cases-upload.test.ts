/** Cases of uploads: builds of a moving version, names, and what pipelines read, through the API. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { expectSarif } from './sarif-shape.ts'
import {
  describeFieldCase,
  givenJudgedSbom,
  importRecords,
  type ListedFinding,
} from './field-cases.ts'
import { givenSyncingDevice } from './given-device-sync.ts'
import { type Client, givenClient, givenFirmwareVersion, matchedSboms } from './given.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
  await importRecords(service, givenRecords())
})

/** A record of each product that the cases have, with versions below what is fixed. */
function givenRecords(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-records-'))
  const records = [
    recordOf('CVE-2099-40001', { vendor: 'zlib', product: 'zlib', lessThan: '1.3.1' }),
    recordOf('CVE-2099-40002', { vendor: 'busybox', product: 'busybox', lessThan: '1.31.0' }),
  ]
  writeFileSync(
    join(folder, 'cvelist.jsonl'),
    records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  )
  return folder
}

function recordOf(
  cveId: string,
  { vendor, product, lessThan }: { vendor: string; product: string; lessThan: string },
) {
  const at = '2026-07-01T00:00:00.000Z'
  return {
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: {
      cveId,
      assignerOrgId: '53f830b8-0a3f-465b-8143-3b8a9948e749',
      assignerShortName: product,
      state: 'PUBLISHED',
      datePublished: at,
      dateUpdated: at,
    },
    containers: {
      cna: {
        providerMetadata: { orgId: '53f830b8-0a3f-465b-8143-3b8a9948e749', dateUpdated: at },
        descriptions: [{ lang: 'en', value: `A flaw in ${product}.` }],
        affected: [
          {
            vendor,
            product,
            versions: [{ version: '0', lessThan, status: 'affected', versionType: 'semver' }],
            defaultStatus: 'unaffected',
          },
        ],
      },
    },
  }
}

interface Build {
  firmwareVersionId: string
  file: string
  name: string
  replace?: string
}

/** Uploads a document and waits until its findings are known. */
async function built(client: Client, { firmwareVersionId, file, name, replace }: Build) {
  const query = new URLSearchParams({ fileName: name, ...(replace && { replace }) })
  const response = await service.app.inject({
    method: 'POST',
    url: `/workspaces/${client.workspaceId}/firmware-versions/${firmwareVersionId}/sboms?${query.toString()}`,
    headers: {
      authorization: `Bearer ${client.apiKey}`,
      'content-type': 'application/octet-stream',
    },
    payload: readFileSync(file),
  })
  expect(response.statusCode).toBe(202)
  await matchedSboms(client, firmwareVersionId)
  return response.json<{ warnings: string[] }>()
}

async function findingsOf(client: Client, firmwareVersionId: string, asOf?: string) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const response = await client.post(path, { limit: 1000, ...(asOf && { asOf }) })
  return response.json<{ findings: ListedFinding[] }>().findings
}

const versionsIn = (findings: readonly ListedFinding[]) =>
  findings.map(({ componentVersion }) => componentVersion)

describeFieldCase('e05-moving-version', (folder) => {
  const build = (number: number) => join(folder, `build${number}.cdx.json`)

  it('holds the last build of a branch, and the earlier one in the past', async () => {
    const client = await givenClient(service)
    const firmwareVersionId = await givenFirmwareVersion(client)
    const first = { firmwareVersionId, file: build(1), name: 'gw.cdx.json' }

    await built(client, { ...first, replace: 'file' })
    const [before] = await findingsOf(client, firmwareVersionId)
    const between = new Date().toISOString()
    await built(client, { ...first, file: build(2), replace: 'file' })

    expect(before).toMatchObject({ componentVersion: '1.2.11' })
    expect(await findingsOf(client, firmwareVersionId)).toEqual([])
    expect(versionsIn(await findingsOf(client, firmwareVersionId, between))).toEqual(['1.2.11'])
  })

  it('warns without being asked to replace', async () => {
    const client = await givenClient(service)
    const firmwareVersionId = await givenFirmwareVersion(client)

    await built(client, { firmwareVersionId, file: build(1), name: 'gw.cdx.json' })
    const answer = await built(client, { firmwareVersionId, file: build(2), name: 'gw.cdx.json' })

    expect(answer.warnings).toEqual([expect.stringContaining('"gw.cdx.json"')])
    expect(versionsIn(await findingsOf(client, firmwareVersionId))).toEqual(['1.2.11'])
  })

  it('keeps what was decided when a build brings the package back', async () => {
    const client = await givenClient(service)
    const firmwareVersionId = await givenFirmwareVersion(client)
    const first = { firmwareVersionId, file: build(1), name: 'gw.cdx.json', replace: 'all' }
    await built(client, first)
    const [finding] = await findingsOf(client, firmwareVersionId)
    await client.post(`/vulnerability-findings/${finding?.id}/assessments`, {
      assessment: 'NotAffected',
      justification: 'code_not_reachable',
    })

    await built(client, { ...first, file: build(2) })
    const without = await findingsOf(client, firmwareVersionId)
    await built(client, first)

    expect(without).toEqual([])
    expect(await findingsOf(client, firmwareVersionId)).toMatchObject([
      { id: finding?.id, assessment: 'NotAffected' },
    ])
  })
})

describeFieldCase('e05b-bom-version', (folder) => {
  it.each([
    ['in order', [1, 2]],
    ['the later one first', [2, 1]],
  ])('counts the latest version of one document: %s', async (_order, numbers) => {
    const client = await givenClient(service)
    const firmwareVersionId = await givenFirmwareVersion(client)

    for (const number of numbers) {
      const name = `bom-v${number}.cdx.json`
      await built(client, { firmwareVersionId, file: join(folder, name), name })
    }

    expect(await findingsOf(client, firmwareVersionId)).toEqual([])
    const listed = await matchedSboms(client, firmwareVersionId)
    expect(listed.map(({ fileName }) => fileName)).toEqual(['bom-v2.cdx.json'])
  })
})

describeFieldCase('a14-cdx17', (folder) => {
  it('tells external components apart, and judges what is in the firmware', async () => {
    const { client, firmwareVersionId, findings } = await givenJudgedSbom(
      service,
      join(folder, 'in.cdx.json'),
    )

    const components = await client.get(`/firmware-versions/${firmwareVersionId}/sbom-components`)
    const external = components
      .json<{ components: { packageName: string; scope: string; notMatchedReason: string }[] }>()
      .components.filter(({ scope }) => scope === 'external')
    expect(
      external.map(({ packageName, notMatchedReason }) => [packageName, notMatchedReason]),
    ).toEqual([
      ['busybox', 'scope external'],
      ['busybox', 'scope external'],
    ])
    expect(findings.map(({ componentName }) => componentName)).toEqual(['zlib'])
  })
})

interface Sarif {
  runs: {
    automationDetails: { id: string }
    results: { ruleId: string; partialFingerprints: { primaryLocationLineHash: string } }[]
  }[]
}

async function sarifOf(client: Client, firmwareVersionId: string) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/export?format=sarif`
  const sarif = (await client.get(path)).json<Sarif>()
  expectSarif(sarif)
  const [run] = sarif.runs
  const alerts = run?.results.map(
    ({ ruleId, partialFingerprints }) => `${ruleId} ${partialFingerprints.primaryLocationLineHash}`,
  )
  return { id: run?.automationDetails.id ?? '', alerts: new Set(alerts) }
}

describeFieldCase('e01-sarif', (folder) => {
  it('tells components apart that share a rule and a file, alike in each upload', async () => {
    const file = join(folder, 'in.cdx.json')
    const first = await givenJudgedSbom(service, file)
    const again = await givenJudgedSbom(service, file)

    const { alerts } = await sarifOf(first.client, first.firmwareVersionId)

    expect(alerts.size).toBe(3)
    expect((await sarifOf(again.client, again.firmwareVersionId)).alerts).toEqual(alerts)
  })

  it('knows an alert again when the version of its component changes', async () => {
    const client = await givenClient(service)
    const firmwareVersionId = await givenFirmwareVersion(client)
    const hashes = []

    for (const version of ['1.2.11', '1.2.12']) {
      const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-sarif-')), 'in.cdx.json')
      const cpe = `cpe:2.3:a:zlib:zlib:${version}:*:*:*:*:*:*:*`
      const components = [{ type: 'library', name: 'zlib', version, cpe }]
      const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', components }
      writeFileSync(file, JSON.stringify(bom))
      await built(client, { firmwareVersionId, file, name: 'in.cdx.json', replace: 'file' })
      hashes.push((await sarifOf(client, firmwareVersionId)).alerts)
    }

    expect(hashes[0]?.size).toBe(1)
    expect(hashes[1]).toEqual(hashes[0])
  })
})

describeFieldCase('e08-sarif-category', (folder) => {
  it('has one category for all versions of a firmware', async () => {
    const client = await givenClient(service)
    const slug = `fw-${crypto.randomUUID()}`
    const firmware = (await client.post('/firmwares', { slug, name: slug })).json<{ id: string }>()
    const ids = []

    for (const name of ['main', '12/merge', 'feature/x', 'a/b/c', 'ends/', '100%', 'ä ö']) {
      const path = `/firmwares/${firmware.id}/versions`
      const { id } = (await client.post(path, { name })).json<{ id: string }>()
      await built(client, { firmwareVersionId: id, file: join(folder, 'in.cdx.json'), name: 'a' })
      ids.push((await sarifOf(client, id)).id)
    }

    const categories = ids.map((id) => id.replace(/[^/]*$/, ''))
    expect(new Set(categories)).toEqual(new Set([`plimsoll/${slug}/`]))
    expect(new Set(ids).size).toBe(7)
  })
})

describeFieldCase('e04-version-names', () => {
  it('takes names that look alike for one, or says why it refuses them', async () => {
    const client = await givenClient(service)
    const slug = `fw-${crypto.randomUUID()}`
    const firmware = (await client.post('/firmwares', { slug, name: slug })).json<{ id: string }>()
    const path = `/firmwares/${firmware.id}/versions`
    const create = (name: string) => client.post(path, { name })

    const first = await create('2.0\r')
    const alike = ['2.0', '2.0 ', ' 2.0', '2.0\u00a0', '\ufeff2.0\n']
    const taken = await Promise.all(alike.map(create))
    const refused = ['2.0\u200b', '2.\u200b0', '2.0\u202e', '2.0\ufe0f', '2.0\u00a0rc', '2\u00000']
    const faults = await Promise.all(refused.map(create))
    const visible = await Promise.all(['2.0-äöü', '2.0+build/7', '2.0 rc1'].map(create))

    expect(first.json()).toMatchObject({ name: '2.0' })
    expect(taken.map(({ statusCode }) => statusCode)).toEqual(alike.map(() => 409))
    expect(faults.map(({ statusCode }) => statusCode)).toEqual(refused.map(() => 400))
    expect(faults[0]?.json()).toMatchObject({ detail: expect.stringContaining('U+200B') as string })
    expect(visible.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201])
  })

  it.each(['1.0.0\n', ' 1.0.0', '1.0.0\u200b', '\ufeff1.0.0\r\n'])(
    'links a device that reports %j with the version that it means',
    async (version) => {
      const client = await givenClient(service)
      const firmwareVersionId = await givenFirmwareVersion(client)
      const path = `/firmware-versions/${firmwareVersionId}`
      const { firmware } = (await client.get(path)).json<{ firmware: { slug: string } }>()
      const device = await givenSyncingDevice(service, client.workspaceId)

      await device.sync({
        session: { runId: 'run-1', firmware: [{ slug: firmware.slug, version }] },
      })

      const shown = await client.get(`/devices/${device.deviceId}`)
      expect(shown.json()).toMatchObject({
        firmware: [{ version: '1.0.0', firmwareVersion: { id: firmwareVersionId } }],
      })
    },
  )
})
