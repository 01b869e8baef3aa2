/** What counts as judged, and which mark says so. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom, importRecords } from './field-cases.ts'
import { type Client, givenClient, givenFirmwareVersion, matchedSboms, upload } from './given.ts'
import { osvRecord } from './given-feeds.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
  await service.ctx.db
    .insertInto('vulnerabilitySources')
    .values({ source: 'nvd', lastSuccessAt: new Date() })
    .execute()
})

interface Mark {
  state: string
  sentence: string
  reasons: { rule: string; verdict: string; text: string }[]
}

async function markOf(client: Client, firmwareVersionId: string): Promise<Mark> {
  return (await client.get(`/firmware-versions/${firmwareVersionId}`)).json<{ mark: Mark }>().mark
}

async function coverageOf(client: Client, firmwareVersionId: string) {
  const response = await client.get(`/firmware-versions/${firmwareVersionId}/coverage`)
  return response.json<{ judgedCount: number; reasons: { reason: string; count: number }[] }>()
}

async function givenComponents(components: object[]) {
  const client = await givenClient(service)
  const firmwareVersionId = await givenFirmwareVersion(client)
  const all = components.map((component) => ({ type: 'library', ...component }))
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: all }
  const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
  await upload(service, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  return { client, firmwareVersionId }
}

function givenOsvFolder(records: readonly object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-judged-'))
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  writeFileSync(join(folder, 'records.jsonl'), lines)
  return folder
}

describeFieldCase('a22-clear-mark', (folder) => {
  it('is unknown, in mark and coverage alike', async () => {
    const sbom = join(folder, 'sbom-output.spdx.json')
    const { client, firmwareVersionId } = await givenJudgedSbom(service, sbom)

    const { state, reasons } = await markOf(client, firmwareVersionId)
    const { judgedCount } = await coverageOf(client, firmwareVersionId)

    expect(readFileSync(sbom, 'utf8')).toContain('Linux')
    expect({ state, judgedCount }).toEqual({ state: 'Unknown', judgedCount: 0 })
    expect(reasons.find(({ rule }) => rule === 'Components')).toMatchObject({ verdict: 'Unknown' })
  })
})

describe('a component of which nothing can be told', () => {
  it('keeps a version from being clear, until its records come', async () => {
    const product = `product-${Date.now()}`
    const { client, firmwareVersionId } = await givenComponents([
      { name: product, version: '2.0', cpe: `cpe:2.3:a:acme:${product}:2.0:*:*:*:*:*:*:*` },
    ])

    const before = await markOf(client, firmwareVersionId)
    const folder = mkdtempSync(join(tmpdir(), 'plimsoll-judged-'))
    const criteria = `cpe:2.3:a:acme:${product}:*:*:*:*:*:*:*:*`
    const cpeMatch = [{ vulnerable: true, criteria, versionEndExcluding: '1.0' }]
    const cve = {
      id: 'CVE-2099-440001',
      lastModified: '2026-01-01T00:00:00.000',
      published: '2026-01-01T00:00:00.000',
      vulnStatus: 'Analyzed',
      descriptions: [{ lang: 'en', value: 'A flaw.' }],
      metrics: {},
      configurations: [{ nodes: [{ operator: 'OR', negate: false, cpeMatch }] }],
    }
    writeFileSync(join(folder, 'nvd.jsonl'), `${JSON.stringify({ cve })}\n`)
    await importRecords(service, folder)
    const after = await markOf(client, firmwareVersionId)

    expect(before.sentence).toBe('Unknown: nothing can be told of 1 of 1 components')
    expect(after.sentence).toBe('Clear: nothing undecided of High or above')
  })

  it('is one of a registry of which only single records were read', async () => {
    const record = osvRecord({ id: 'GHSA-aaaa-bbbb-cccc', fixed: {} })
    const affected = [
      {
        package: { ecosystem: 'Maven', name: 'org.example:other' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.0' }] }],
      },
    ]
    await importRecords(service, givenOsvFolder([{ ...record, affected }]))
    const components = [
      { name: 'thing', version: '2.4.0', purl: 'pkg:maven/org.example/thing@2.4.0' },
      { name: 'other', version: '2.4.0', purl: 'pkg:maven/org.example/other@2.4.0' },
      { name: 'groupless', version: '1.0', purl: 'pkg:maven/groupless@1.0' },
    ]
    const { client, firmwareVersionId } = await givenComponents(components)

    const stray = await coverageOf(client, firmwareVersionId)
    await importRecords(service, givenOsvFolder([{ ...record, affected }]), {
      complete: ['Maven'],
    })
    const loaded = await coverageOf(client, firmwareVersionId)

    expect(stray.reasons).toMatchObject([{ reason: 'no records of Maven are loaded', count: 3 }])
    expect(loaded).toMatchObject({
      judgedCount: 2,
      reasons: [{ reason: 'not named like packages of Maven', count: 1 }],
    })
  })
})
