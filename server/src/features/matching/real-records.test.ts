/**
 * Real SBOMs against real advisories, checked by evaluators of their own that know nothing of this code. Every match also
 * keeps its evidence, which gives the same when it is evaluated again (docs/design/matching.md).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../test/given.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import { importFeeds } from '../advisories/index.ts'
import type { Evidence } from './evidence.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

const FIRMWARE = 'sbom/firmware/'
const YOCTO_IMAGE =
  'yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz'
const YOCTO_SPDX22 = 'yocto-spdx22-rootfs/cyclonedx-bom.json'
const OTHERS = [
  'uefi-firmware-houdini91/sbom.cdx.json',
  'linux-kernel-spdx3/sbom-output.spdx.json',
  'zephyr-west-spdx-astarte/zephyr.spdx',
]

interface Finding {
  id: string
  cveId: string
  componentName: string
  componentVersion: string
  confidence: string
}

describeWithSharedData('real firmware', (folder) => {
  let test: TestApp
  let client: Client
  let imported: Awaited<ReturnType<typeof importFeeds>>
  beforeAll(async () => {
    test = await startTestApp()
    await test.startWorker()
    client = await givenClient(test)
    imported = await importFeeds(test.ctx, { path: join(folder, 'cve5/linux-kernel-cna.jsonl.gz') })
    for (const path of ['cve5/openssl-cna.jsonl.gz', 'osv/pypa.jsonl.gz'])
      await importFeeds(test.ctx, { path: join(folder, path) })
  }, 300_000)

  async function givenMatched(path: string): Promise<string> {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const bytes = readFileSync(join(folder, FIRMWARE, path))
    await upload(test, client, {
      firmwareVersionId,
      files: [{ name: path.replaceAll('/', '_'), bytes }],
    })
    await matchedSboms(client, firmwareVersionId)
    return firmwareVersionId
  }

  async function findingsOf(path: string): Promise<Finding[]> {
    const firmwareVersionId = await givenMatched(path)
    const findings: Finding[] = []
    for (let cursor: string | undefined; ;) {
      const body = {
        limit: 1000,
        sortColumn: 'CveId',
        ascending: true,
        ...(cursor !== undefined && { cursor }),
      }
      const response = await client.post(
        `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`,
        body,
      )
      const page = response.json<{ findings: Finding[]; nextCursor?: string }>()
      findings.push(...page.findings)
      cursor = page.nextCursor
      if (cursor === undefined) return findings
    }
  }

  it('is matched with the CVE List records of the kernel, which are read whole', async () => {
    expect(imported).toMatchObject([{ source: 'cvelist', records: 14_626, skipped: 0 }])
    const { rows } = await sql<{ key: string; advisories: number }>`
      select key, count(*)::int as advisories from advisory_affected
      where key like 'cpe:%' and key <> 'cpe:openssl:openssl'
      group by key`.execute(test.ctx.db)
    expect(rows).toMatchObject([{ key: 'cpe:linux:linux_kernel' }])
    expect(rows[0]?.advisories).toBeGreaterThan(14_000)
  })

  it('of Yocto has each CVE of its kernel once, and exactly those of the kernel’s own records', async () => {
    const findings = await findingsOf(YOCTO_IMAGE)

    const kernel = findings.filter(({ componentVersion }) => componentVersion.startsWith('6.12.38'))
    const expected = kernelCvesOf('6.12.38', join(folder, 'cve5/linux-kernel-cna.jsonl.gz'))
    expect(kernel.map(({ cveId }) => cveId)).toEqual(expected)
    expect(expected.length).toBeGreaterThan(500)
  })

  it('with OpenSSL has the CVEs of its release', async () => {
    const findings = await findingsOf(YOCTO_SPDX22)

    const openssl = findings.filter(({ componentName }) => componentName === 'openssl')
    expect([...new Set(openssl.map(({ cveId }) => cveId))]).toEqual(
      opensslCvesOf('3.2.3', join(folder, 'cve5/openssl-cna.jsonl.gz')),
    )
  })

  describe('the stored evidence of real matches', () => {
    beforeAll(async () => {
      for (const path of [
        'cve5/vulnrichment-firmware.jsonl.gz',
        'nvd/nvd20-firmware.jsonl.gz',
        'nvd/nvd20-firmware-converted-from-11.jsonl.gz',
      ])
        await importFeeds(test.ctx, { path: join(folder, path) })
      for (const path of OTHERS) await givenMatched(path)
      while ((await countKnowledgeChanges()) > 0) await delay(50)
    }, 600_000)

    async function countKnowledgeChanges(): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from knowledge_changes`.execute(test.ctx.db)
      return rows[0]?.count ?? 0
    }

    it('gives the same verdict and confidence when evaluated again', async () => {
      const { rows } = await sql<StoredMatch>`
        select match.vulnerability_id, match.confidence, package.identity, kept.evidence
        from package_matches as match
        join packages as package on package.id = match.package_id
        join package_match_evidence as kept using (package_id, vulnerability_id)
        where match.until is null`.execute(test.ctx.db)

      expect(rows.length).toBeGreaterThan(2000)
      const differing = rows.filter((row) => replayed(row) !== row.confidence)
      expect(differing.slice(0, 3)).toEqual([])
    }, 300_000)

    it('still says each thing it said', async () => {
      const { rows } = await sql<StoredMatch>`
        select package.identity, kept.evidence
        from package_match_evidence as kept join packages as package on package.id = kept.package_id`.execute(
        test.ctx.db,
      )

      const all = rows.flatMap(({ identity, evidence }) =>
        evidence.map((one) => ({ identity, evidence: one })),
      )
      const differing = all.filter(({ identity, evidence }) => !saysSo(identity, evidence))
      expect(all.length).toBeGreaterThan(2000)
      expect(differing.slice(0, 3)).toEqual([])
    }, 300_000)
  })
})

interface StoredMatch {
  vulnerabilityId: string
  confidence: string
  identity: PackageIdentity
  evidence: Evidence[]
}

function verdictsOf(identity: PackageIdentity, evidence: readonly Evidence[]) {
  return matchPackage(
    identity,
    evidence.map(({ source, advisoryId, key, statement }) => ({
      source,
      advisoryId,
      affected: { key, statements: [statement] },
    })),
    // A name means what the records knew then.
    {
      resolve: () =>
        new Map(evidence.flatMap(({ key, resolution }) => (resolution ? [[key, resolution]] : []))),
    },
  )
}

function replayed({ identity, evidence }: StoredMatch): string | undefined {
  return decideMatch(verdictsOf(identity, evidence))?.confidence
}

function saysSo(identity: PackageIdentity, evidence: Evidence): boolean {
  const { identifier, version, verdict, confidence, range } = evidence
  return verdictsOf(identity, [evidence])
    .flatMap((one) => one.evidence)
    .some(
      (one) =>
        one.identifier === identifier &&
        one.version === version &&
        one.verdict === verdict &&
        one.confidence === confidence &&
        one.range === range,
    )
}

interface RawVersion {
  version: string
  lessThan?: string
  lessThanOrEqual?: string
  status: string
  versionType?: string
}
interface RawRecord {
  cveMetadata?: { cveId: string; state?: string }
  containers: {
    cna: {
      affected?: { defaultStatus?: string; versions?: RawVersion[] }[]
      cpeApplicability?: {
        nodes: { cpeMatch: { versionStartIncluding?: string; versionEndExcluding?: string }[] }[]
      }[]
    }
  }
}

function recordsOf(path: string): RawRecord[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as RawRecord)
}

const numbers = (version: string) => version.split('.').map(Number)

function order(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Releases of the kernel are dotted numbers; entries of commits say nothing about them, nor does a default beside.
 * The CPE ranges of these records overlap the fixed releases of stable branches, so that `affected[]` alone decides.
 */
function kernelCvesOf(version: string, path: string): string[] {
  const affected = recordsOf(path).filter(({ containers }) =>
    (containers.cna.affected ?? []).some(({ defaultStatus, versions = [] }) => {
      const releases = versions.filter(({ versionType }) => versionType !== 'git')
      const entry = releases.find((one) => covers(one, version))
      const otherwise = releases.length < versions.length ? undefined : defaultStatus
      return (entry?.status ?? otherwise) === 'affected'
    }),
  )
  return affected.map(({ cveMetadata }) => cveMetadata?.cveId ?? '').toSorted()
}

function covers(
  { version: from, lessThan, lessThanOrEqual }: RawVersion,
  version: string,
): boolean {
  if (lessThan !== undefined) return order(version, from) >= 0 && order(version, lessThan) < 0
  if (lessThanOrEqual === undefined) return order(version, from) === 0
  if (lessThanOrEqual === '*') return order(version, from) >= 0
  const branch = /^(.*)\.\*$/.exec(lessThanOrEqual)?.[1]
  if (branch !== undefined)
    return `${version}.`.startsWith(`${branch}.`) && order(version, from) >= 0
  return order(version, from) >= 0 && order(version, lessThanOrEqual) <= 0
}

function opensslCvesOf(version: string, path: string): string[] {
  const affected = recordsOf(path).filter(({ containers }) =>
    (containers.cna.affected ?? []).some(({ versions = [] }) =>
      versions.some(
        (one) =>
          one.status === 'affected' &&
          /^[\d.]+$/.test(one.version) &&
          /^[\d.]+$/.test(one.lessThan ?? one.version) &&
          covers(one, version),
      ),
    ),
  )
  return affected.map(({ cveMetadata }) => cveMetadata?.cveId ?? '').toSorted()
}
