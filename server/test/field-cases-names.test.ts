/** Names that people and generators write, each looked up by the name that records have. */
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
