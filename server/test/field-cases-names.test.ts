/** Names that people and generators write, each looked up by the name that records have. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import {
  describeFieldCase,
  givenJudgedSbom,
  importRecords,
  type ListedFinding,
} from './field-cases.ts'
import { describeWithSharedData } from './shared-data.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

/** The CVEs of each component. */
function cvesByComponent(findings: readonly ListedFinding[]): Map<string, Set<string>> {
  const byName = Map.groupBy(findings, ({ componentName }) => componentName)
  return new Map(
    [...byName].map(([name, of]) => [name, new Set(of.map(({ cveId }) => cveId))] as const),
  )
}

/** A folder with one record of NVD. */
function givenNvdRecord({
  id,
  ...bounds
}: {
  id: string
  criteria: string
  versionEndExcluding: string
}): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-names-'))
  const cpeMatch = [{ vulnerable: true, matchCriteriaId: randomUUID(), ...bounds }]
  const cve = {
    id,
    published: '2024-01-01T00:00:00.000',
    lastModified: new Date().toISOString().replace('Z', ''),
    vulnStatus: 'Analyzed',
    descriptions: [{ lang: 'en', value: 'test record' }],
    configurations: [{ nodes: [{ operator: 'OR', negate: false, cpeMatch }] }],
    references: [],
  }
  const page = { format: 'NVD_CVE', version: '2.0', vulnerabilities: [{ cve }] }
  writeFileSync(join(folder, 'nvd.json'), JSON.stringify(page))
  return folder
}

describeWithSharedData('records of Go', (data) => {
  describeFieldCase('b11-go-std', (folder) => {
    it('finds the flaws of the library by all its names', async () => {
      const records = gunzipSync(readFileSync(join(data, 'osv/golang-vulndb.jsonl.gz')))
        .toString('utf8')
        .split('\n')
        .filter((line) => /"name":"(?:stdlib|toolchain|golang\.org\/x\/net)"/.test(line))
      const feeds = mkdtempSync(join(tmpdir(), 'plimsoll-go-'))
      writeFileSync(join(feeds, 'osv.jsonl'), records.join('\n'))
      await importRecords(service, feeds)

      const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

      const found = cvesByComponent(findings)
      // One finding stands for all components of one package, under the first name.
      expect([...found.keys()].toSorted()).toEqual(['golang.org/x/net', 'std', 'std4'])
      const ofLibrary = found.get('std') ?? new Set()
      expect(ofLibrary.size).toBeGreaterThan(50)
      expect(ofLibrary).toContain('CVE-2023-24532')
      expect([...(found.get('std4') ?? [])]).toEqual(expect.arrayContaining([...ofLibrary]))
    })
  })
})

describeFieldCase('a01-kernelsbom', (folder) => {
  it.each([
    'Linux Kernel (Image)',
    'Linux Kernel (bzImage)',
    'bzImage',
    'zImage',
    'uImage',
    'Image.gz',
    'vmlinux',
    'vmlinuz-5.10.100-amd64',
    'Linux Kernel',
    'linux',
  ])('finds the flaws of the kernel under its own name %s', async (name) => {
    const feeds = givenNvdRecord({
      id: 'CVE-2099-90101',
      criteria: 'cpe:2.3:o:linux:linux_kernel:*:*:*:*:*:*:*:*',
      versionEndExcluding: '5.10.101',
    })
    await importRecords(service, feeds)
    const document = readFileSync(join(folder, 'sbom-output.spdx.json'), 'utf8')
    const file = join(feeds, 'sbom-output.spdx.json')
    writeFileSync(file, document.replace('Linux Kernel (Image)', name))

    const { findings } = await givenJudgedSbom(service, file)

    expect(findings.map(({ cveId }) => cveId)).toEqual(['CVE-2099-90101'])
    expect(findings[0]?.confidence).toBe('Medium')
  })
})

describeFieldCase('b09-git-vendor', (folder) => {
  it('takes all names of Git for one product', async () => {
    await importRecords(service, folder)

    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const ofCase = findings.filter(({ cveId }) => cveId.startsWith('CVE-2099-9000'))
    const found = cvesByComponent(ofCase)
    expect(found.size).toBeGreaterThan(0)
    for (const cves of found.values())
      expect([...cves].toSorted()).toEqual(['CVE-2099-90001', 'CVE-2099-90002', 'CVE-2099-90003'])
  })
})

it.each`
  cpe                          | record                               | because
  ${'optipng:optipng'}         | ${'optipng_project:optipng'}         | ${'NVD did not know the maker at first'}
  ${'proftpd_project:proftpd'} | ${'proftpd:proftpd'}                 | ${'or no longer'}
  ${'gnupg:libgcrypt'}         | ${'libgcrypt20_project:libgcrypt20'} | ${'NVD took the name of a package once'}
  ${'fuse_project:fuse'}       | ${'fuse:fuse'}                       | ${'both are libfuse'}
`('a CPE $cpe meets a record of $record, as $because', async ({ cpe, record }) => {
  const feeds = givenNvdRecord({
    id: 'CVE-2099-90102',
    criteria: `cpe:2.3:a:${String(record)}:*:*:*:*:*:*:*:*`,
    versionEndExcluding: '2.0',
  })
  await importRecords(service, feeds)
  const file = join(feeds, 'sbom.cdx.json')
  writeFileSync(
    file,
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      components: [
        {
          type: 'library',
          name: 'c',
          version: '1.5',
          cpe: `cpe:2.3:a:${String(cpe)}:1.5:*:*:*:*:*:*:*`,
        },
      ],
    }),
  )

  const { findings } = await givenJudgedSbom(service, file)

  expect(findings.map(({ cveId }) => cveId)).toEqual(['CVE-2099-90102'])
})
