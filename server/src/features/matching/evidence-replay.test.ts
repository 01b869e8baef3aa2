/** Every match keeps what it rests on; held against the package anew, that comes to the same (docs/design/matching.md). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenClient, givenFirmwareVersion, matchedSboms, upload } from '../../../test/given.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import { importFeeds } from '../advisories/index.ts'
import { decideMatch } from './verdict-precedence.ts'
import type { Evidence } from './evidence.ts'
import { matchPackage } from './match.ts'

const FEEDS = [
  'cve5/openssl-cna.jsonl.gz',
  'cve5/linux-kernel-cna.jsonl.gz',
  'cve5/vulnrichment-firmware.jsonl.gz',
  'nvd/nvd20-firmware.jsonl.gz',
  'nvd/nvd20-firmware-converted-from-11.jsonl.gz',
]
const FIRMWARE = 'sbom/firmware/'
const SBOMS = [
  'yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz',
  'yocto-spdx22-rootfs/cyclonedx-bom.json',
  'uefi-firmware-houdini91/sbom.cdx.json',
  'linux-kernel-spdx3/sbom-output.spdx.json',
  'zephyr-west-spdx-astarte/zephyr.spdx',
]

interface StoredMatch {
  vulnerabilityId: string
  confidence: string
  identity: PackageIdentity
  evidence: Evidence[]
}

describeWithSharedData('the stored evidence of real matches', (folder) => {
  let test: TestApp
  beforeAll(async () => {
    test = await startTestApp()
    await test.startWorker()
    for (const path of FEEDS) await importFeeds(test.ctx, { path: join(folder, path) })
    const client = await givenClient(test)
    for (const path of SBOMS) {
      const firmwareVersionId = await givenFirmwareVersion(client)
      const bytes = readFileSync(join(folder, FIRMWARE, path))
      const files = [{ name: path.replaceAll('/', '_'), bytes }]
      await upload(test, client, { firmwareVersionId, files })
      await matchedSboms(client, firmwareVersionId)
    }
  }, 600_000)

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

function verdictsOf(identity: PackageIdentity, evidence: readonly Evidence[]) {
  return matchPackage(
    identity,
    evidence.map(({ source, advisoryId, key, statement }) => ({
      source,
      advisoryId,
      affected: { key, statements: [statement] },
    })),
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
