/** What a distribution says of its builds, beside a record that names the product by CPE. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { csafDocument, type GivenCsaf } from '../../../test/given-csaf.ts'
import { givenFolder, nvdPage } from '../../../test/given-feeds.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../test/given.ts'
import { importFeeds } from '../advisories/index.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  client = await givenClient(test)
})

const RHEL = { rhel8: 'cpe:/o:redhat:enterprise_linux:8' }

async function imported(cve: string, product: string, said: Partial<GivenCsaf>) {
  const page = nvdPage([{ id: cve, score: 9.8, fixed: { [`acme:${product}`]: '9.0' } }])
  const document = csafDocument({ cve, cpes: RHEL, status: {}, ...said })
  const files = { 'nvd.json': JSON.stringify(page), 'csaf.json': document }
  await importFeeds(test.ctx, { path: givenFolder(files) })
}

interface Finding {
  id: string
  cveId: string
}

async function findingsOf(product: string, version: string): Promise<Finding[]> {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const component = {
    type: 'library',
    name: product,
    version,
    purl: `pkg:rpm/redhat/${product}@${version}?arch=x86_64&distro=rhel-8.9`,
    cpe: `cpe:2.3:a:acme:${product}:${version.split('-')[0] ?? ''}:*:*:*:*:*:*:*`,
  }
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [component] }
  const files = [{ name: 'sbom.json', bytes: JSON.stringify(bom) }]
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  return (await client.post(path, {})).json<{ findings: Finding[] }>().findings
}

it('is not found where the distribution says that its package is not affected', async () => {
  await imported('CVE-2026-4001', 'vexone', { status: { known_not_affected: ['rhel8:vexone'] } })

  expect(await findingsOf('vexone', '1.0-2.el8')).toEqual([])
})

it('is found before the repaired build, and not in it', async () => {
  await imported('CVE-2026-4002', 'vextwo', {
    purls: { build: 'pkg:rpm/redhat/vextwo@1.0-3.el8?arch=src' },
    status: { fixed: ['rhel8:build'] },
  })

  expect(await findingsOf('vextwo', '1.0-2.el8')).toMatchObject([{ cveId: 'CVE-2026-4002' }])
  expect(await findingsOf('vextwo', '1.0-3.el8')).toEqual([])
})

it('is found and says so where the distribution will not repair it', async () => {
  await imported('CVE-2026-4003', 'vexthree', {
    status: { known_affected: ['rhel8:vexthree'] },
    remediations: [
      { category: 'no_fix_planned', details: 'Will not fix', product_ids: ['rhel8:vexthree'] },
    ],
  })

  const [finding] = await findingsOf('vexthree', '1.0-2.el8')

  const shown = await client.get(`/vulnerability-findings/${finding?.id ?? ''}`)
  expect(shown.json()).toMatchObject({
    cve: { id: 'CVE-2026-4003' },
    confidence: 'High',
    evidence: expect.arrayContaining([
      expect.objectContaining({
        source: 'csaf',
        advisoryId: 'redhat:CVE-2026-4003',
        range: 'all versions; no fix is planned: Will not fix',
        outrankedBy: null,
      }),
      expect.objectContaining({ source: 'nvd', outrankedBy: expect.any(String) as string }),
    ]) as object[],
  })
})
