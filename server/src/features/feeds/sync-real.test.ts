/** Real extracts of every source, served as their publishers serve them. The schedule of a running worker fetches them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { csafDocument } from '../../../test/given-csaf.ts'
import { startFeedServer } from '../../../test/feed-server.ts'
import {
  type CveRecord,
  feedConfig,
  type OsvRecord,
  publishCveList,
  publishNvdApi,
  publishNvdFeed,
  publishOsv,
} from '../../../test/given-publishers.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { getSources } from './service.ts'
import { supportCycle, supportList, supportProduct } from '../../../test/given-support.ts'

describeWithSharedData('a worker', (folder) => {
  const unpacked = (path: string) => gunzipSync(readFileSync(join(folder, path))).toString()
  const lines = <Item>(path: string) =>
    unpacked(path)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Item)

  it('fetches real records of all sources and shows them complete', async () => {
    const server = await startFeedServer()
    const cves = lines<CveRecord>('cve5/openssl-cna.jsonl.gz')
    const firmware = lines<CveRecord>('cve5/vulnrichment-firmware.jsonl.gz')
    publishCveList(server, [
      {
        '2026-08-22_all_CVEs_at_midnight.zip.zip': cves,
        '2026-08-22_delta_CVEs_at_0700Z.zip': firmware,
      },
    ])
    const page = unpacked('nvd/feeds/nvdcve-2.0-modified-2026-03-15.json.gz')
    const { vulnerabilities } = JSON.parse(page) as {
      vulnerabilities: { cve: { id: string; lastModified: string } }[]
    }
    const nvd = vulnerabilities.slice(0, 2_300)
    publishNvdApi(server, () => nvd)
    publishNvdFeed(server, 'modified', { page, lastModified: '2026-03-15T00:00:00Z' })
    const pypi = lines<OsvRecord>('osv/psf.jsonl.gz')
    server.put('/osv/ecosystems.txt', 'PyPI\n')
    publishOsv(server, 'PyPI', pypi)
    server.put('/kev.json', readFileSync(join(folder, 'kev/kev-2026-08-22.json.gz')))
    server.put(
      '/epss.csv.gz',
      unpacked('epss/epss-2026-08-16.csv.gz').split('\n').slice(0, 3_000).join('\n') + '\n',
    )
    server.put('/csaf/changes.csv', '"2026/cve-2026-1001.json","2026-08-01T00:00:00Z"\n')
    const rhel = { rhel: 'cpe:/o:redhat:enterprise_linux:9' }
    const status = { known_affected: ['rhel:curl'] }
    server.put(
      '/csaf/2026/cve-2026-1001.json',
      csafDocument({ cve: 'CVE-2026-1001', cpes: rhel, status }),
    )
    server.put(
      '/endoflife.json',
      supportList([supportProduct('openssl', [supportCycle('3.0', '2026-09-07')])]),
    )
    server.put('/euvd.json', [
      { cveId: 'CVE-2026-1002', dateAdded: '2026-08-01', sources: ['eukev_kev'] },
    ])
    const { feeds } = feedConfig(server, 'unused')
    const test = await startTestApp({ feeds: { ...feeds, nvdMode: 'api', enabled: true } })

    await test.startWorker()
    await expect
      .poll(
        async () => {
          const { sources } = await getSources(test.ctx)
          return sources.map(({ isStale, lastError }) => lastError ?? (isStale ? 'stale' : 'ok'))
        },
        { interval: 500 },
      )
      .toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'])

    const { sources } = await getSources(test.ctx)
    const counts = sources.map(({ source, recordCount }) => [source, recordCount])
    expect(counts).toEqual([
      ['csaf', 1],
      ['cvelist', new Set([...cves, ...firmware].map((cve) => cve.cveMetadata.cveId)).size],
      ['endoflife', 1],
      ['epss', 3_000],
      ['euvd', 1],
      ['kev', 1_674],
      ['nvd', nvd.length],
      ['osv', pypi.length],
    ])
    expect(sources.every(({ nextSyncAt }) => nextSyncAt !== null)).toBe(true)
    const { rows } = await sql<{ open: number }>`
      select count(*)::int as open from vulnerability_sources where claimed_by is not null`.execute(
      test.ctx.db,
    )
    expect(rows).toEqual([{ open: 0 }])
    await test.close()
    await server.close()
  }, 150_000)
})
