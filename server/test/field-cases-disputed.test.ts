/** Disputed vulnerabilities: marked while a record says so, filtered, and listed last where the workspace says so. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom, importRecords } from './field-cases.ts'
import type { Client } from './given.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

interface Row {
  id: string
  cveId: string
  severity: string
  isDisputed: boolean
}

interface JudgedVersion {
  client: Client
  firmwareVersionId: string
}

async function listed(
  { client, firmwareVersionId }: JudgedVersion,
  query: object = {},
): Promise<Row[]> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  return (await client.post(path, query)).json<{ findings: Row[] }>().findings
}

const idsOf = (rows: readonly { cveId: string }[]) => rows.map(({ cveId }) => cveId).toSorted()
const disputedIn = (rows: readonly Row[]) => idsOf(rows.filter(({ isDisputed }) => isDisputed))

let hour = 0
/** A text of NVD that is newer than all before. */
async function importNvd(id: string, more: object): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-disputed-'))
  hour += 1
  const time = `2026-11-01T${String(hour).padStart(2, '0')}:00:00.000`
  const criteria = 'cpe:2.3:a:acme:vfour:1.0:*:*:*:*:*:*:*'
  const cpeMatch = [{ vulnerable: true, matchCriteriaId: 'A', criteria }]
  const configurations = [{ nodes: [{ operator: 'OR', negate: false, cpeMatch }] }]
  const dated = { published: time, lastModified: time, vulnStatus: 'Analyzed' }
  const descriptions = [{ lang: 'en', value: 'test record' }]
  const cve = { id, ...dated, descriptions, configurations, references: [], ...more }
  const page = { format: 'NVD_CVE', version: '2.0', vulnerabilities: [{ cve }] }
  writeFileSync(join(folder, 'nvd.json'), JSON.stringify(page))
  await importRecords(service, folder)
}

describeFieldCase('b06-cvss4', (folder) => {
  const judged = () => givenJudgedSbom(service, join(folder, 'in.cdx.json'))
  const DISPUTED = 'CVE-2099-60004'
  const tagged = { cveTags: [{ sourceIdentifier: 'x@example.com', tags: ['disputed'] }] }

  beforeAll(() => importRecords(service, folder))

  it('marks the disputed one, and reads all other records as before', async () => {
    const version = await judged()

    const rows = await listed(version)

    const severities = Object.fromEntries(rows.map(({ cveId, severity }) => [cveId, severity]))
    expect(severities).toMatchObject({ 'CVE-2099-60001': 'Critical', 'CVE-2099-60005': 'Critical' })
    expect(severities).toHaveProperty('CVE-2099-60002')
    expect(severities).not.toHaveProperty('CVE-2099-60003')
    expect(disputedIn(rows)).toEqual([DISPUTED])
    const id = rows.find(({ cveId }) => cveId === DISPUTED)?.id ?? ''
    const finding = await version.client.get(`/vulnerability-findings/${id}`)
    expect(finding.json()).toMatchObject({ isDisputed: true })
    const vulnerability = await version.client.get(`/vulnerabilities/${DISPUTED}`)
    expect(vulnerability.json()).toMatchObject({ vulnerability: { isDisputed: true } })
  })

  it('filters the lists of the version and of the workspace', async () => {
    const version = await judged()

    const all = idsOf(await listed(version))
    expect(idsOf(await listed(version, { filter: { disputed: true } }))).toEqual([DISPUTED])
    expect(idsOf(await listed(version, { filter: { disputed: false } }))).toEqual(
      all.filter((cveId) => cveId !== DISPUTED),
    )
    for (const [path, member] of [
      ['/vulnerability-findings/list', 'findings'],
      ['/vulnerabilities/list', 'vulnerabilities'],
    ] as const)
      for (const disputed of [true, false]) {
        const answer = await version.client.post(path, { filter: { disputed } })
        const rows = answer.json<Record<string, Row[]>>()[member] ?? []
        expect(rows.length).toBe(disputed ? 1 : all.length - 1)
        expect(rows.every(({ isDisputed }) => isDisputed === disputed)).toBe(true)
      }
  })

  it('lists disputed ones last by risk, over pages, where the workspace says so', async () => {
    const version = await judged()
    const ids = async (query: object = {}) =>
      (await listed(version, query)).map(({ cveId }) => cveId)
    const normal = await ids()
    expect(normal.at(-1)).not.toBe(DISPUTED)

    await version.client.patch('/settings', { disputedFindings: 'Last' })

    const last = [...normal.filter((cveId) => cveId !== DISPUTED), DISPUTED]
    expect(await ids()).toEqual(last)
    expect(await ids({ ascending: true })).toEqual(last.toReversed())
    expect(await ids({ sortColumn: 'CveId', ascending: true })).toEqual(last.toSorted())
    const path = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const answer = await version.client.post(path, { limit: 1, ...(cursor && { cursor }) })
      const page = answer.json<{ findings: Row[]; nextCursor?: string }>()
      paged.push(...page.findings.map(({ cveId }) => cveId))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(paged).toEqual(last)
  })

  it('takes the mark away once a newer text says so no longer', async () => {
    await importNvd('CVE-2099-60006', tagged)
    const version = await judged()
    expect(disputedIn(await listed(version))).toEqual([DISPUTED, 'CVE-2099-60006'])

    await importNvd('CVE-2099-60006', {})

    expect(disputedIn(await listed(version))).toEqual([DISPUTED])
  })

  it('marks a vulnerability of several records that one of them disputes', async () => {
    // The record of the CVE List disputes nothing.
    await importNvd('CVE-2099-60005', tagged)
    const version = await judged()
    expect(disputedIn(await listed(version))).toContain('CVE-2099-60005')

    await importNvd('CVE-2099-60005', {})

    expect(disputedIn(await listed(version))).not.toContain('CVE-2099-60005')
  })
})
