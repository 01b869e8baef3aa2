/** Packages of a registry of which no records are loaded. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { givenJudgedSbom, importRecords } from './field-cases.ts'
import type { Client } from './given.ts'
import { osvRecord } from './given-feeds.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

function nvdRecord(number: number, criteria: string, versionEndExcluding: string) {
  const cpeMatch = [
    { vulnerable: true, criteria, versionStartIncluding: '1.0', versionEndExcluding },
  ]
  return {
    cve: {
      id: `CVE-2099-${number}`,
      lastModified: '2026-01-01T00:00:00.000',
      published: '2026-01-01T00:00:00.000',
      vulnStatus: 'Analyzed',
      descriptions: [{ lang: 'en', value: 'A flaw.' }],
      metrics: {},
      configurations: [{ nodes: [{ operator: 'OR', negate: false, cpeMatch }] }],
    },
  }
}

const RECORDS = [
  nvdRecord(450001, 'cpe:2.3:a:fasterxml:jackson-databind:*:*:*:*:*:*:*:*', '2.6.7'),
  nvdRecord(450002, 'cpe:2.3:a:apache:log4j:*:*:*:*:*:*:*:*', '2.0'),
  nvdRecord(450003, 'cpe:2.3:a:xstream:xstream:*:*:*:*:*:*:*:*', '1.4.17'),
  nvdRecord(450004, 'cpe:2.3:a:netty:netty:*:*:*:*:*:*:*:*', '4.1.43'),
  nvdRecord(450005, 'cpe:2.3:a:google:guava:*:*:*:*:*:*:*:*', '32.0.0'),
  nvdRecord(450006, 'cpe:2.3:a:lodash:lodash:*:*:*:*:*:node.js:*:*', '4.17.21'),
  nvdRecord(450007, 'cpe:2.3:a:axios:axios:*:*:*:*:*:rust:*:*', '2.0'),
  nvdRecord(450008, 'cpe:2.3:a:acme:unknown-thing:*:*:*:*:*:*:*:*', '9.0'),
]

const PURLS = [
  'pkg:maven/com.fasterxml.jackson.core/jackson-databind@2.4.0',
  'pkg:maven/log4j/log4j@1.2.17',
  'pkg:maven/com.thoughtworks.xstream/xstream@1.4.16',
  'pkg:maven/io.netty/netty-handler@4.1.42.Final',
  'pkg:maven/com.google.guava/guava@32.0.0-jre',
  'pkg:maven/org.example/unknown-thing@1.2.3',
  'pkg:npm/lodash@4.17.20',
  'pkg:npm/axios@1.0.0',
]

function givenFile(name: string, lines: readonly object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-registries-'))
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return { folder, path }
}

interface ListedFinding {
  id: string
  cveId: string
  confidence: string
}

async function listed(client: Client, firmwareVersionId: string) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const { findings } = (await client.post(path, { limit: 100 })).json<{
    findings: ListedFinding[]
  }>()
  return findings.map(({ cveId, confidence }) => `${cveId} ${confidence}`).toSorted()
}

async function coverageOf(client: Client, firmwareVersionId: string) {
  const response = await client.get(`/firmware-versions/${firmwareVersionId}/coverage`)
  return response.json<{ judgedCount: number; reasons: { reason: string; count: number }[] }>()
}

it('are looked up by the product of NVD, until the records of their registry are loaded', async () => {
  await importRecords(service, givenFile('nvd.jsonl', RECORDS).folder)
  const components = PURLS.map((purl) => {
    const [, name, version] = /([^/]+)@(.+)$/.exec(purl) ?? []
    return { type: 'library', name, version, purl }
  })
  const sbom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
  const { client, firmwareVersionId } = await givenJudgedSbom(
    service,
    givenFile('image.json', [sbom]).path,
  )

  const before = await listed(client, firmwareVersionId)
  const coverage = await coverageOf(client, firmwareVersionId)
  const other = {
    ...osvRecord({ id: 'GHSA-aaaa-bbbb-dddd', fixed: {} }),
    affected: [
      {
        package: { ecosystem: 'Maven', name: 'org.example:other' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.0' }] }],
      },
    ],
  }
  await importRecords(service, givenFile('osv.jsonl', [other]).folder)
  const withStrayRecord = await listed(client, firmwareVersionId)
  await importRecords(service, givenFile('osv.jsonl', [other]).folder, { complete: ['Maven'] })
  const after = await listed(client, firmwareVersionId)

  expect(before).toEqual([
    'CVE-2099-450001 Medium',
    'CVE-2099-450002 Medium',
    'CVE-2099-450003 Medium',
    'CVE-2099-450004 Low',
    'CVE-2099-450006 Medium',
  ])
  expect(coverage.reasons).toMatchObject([{ reason: 'no records of Maven are loaded', count: 1 }])
  expect(withStrayRecord).toEqual(before)
  expect(after).toEqual(['CVE-2099-450006 Medium'])
})
