/** The files that the blocks of the guides name. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { cveRecord, kevCatalogue, nvdPage, osvRecord } from '../../server/test/given-feeds.ts'

const SBOMS = [
  'build/gateway.spdx.json',
  'build/image.spdx.json',
  'build/sbom.cdx.json',
  'app.spdx',
  'zephyr.spdx',
  'image.spdx.json',
]

const BINARIES = [
  'gateway-2.4.1.swu',
  'gateway-2.4.2.swu',
  'build/gateway-2.4.2.swu',
  'gateway-2.5.0.raucb',
  'sw-description',
]

const CVE = 'CVE-2024-6119'

/** One of each source, so that none counts as never read. */
const ADVISORIES = {
  'cve.json': cveRecord({ id: CVE, title: 'A flaw', fixed: { 'openssl/openssl': '3.0.15' } }),
  'nvd.json': nvdPage([]),
  'osv.json': osvRecord({ id: 'PYSEC-2026-1', fixed: { flawed: '2.0' } }),
  'known_exploited_vulnerabilities.json': kevCatalogue([], '2026-01-01T00:00:00.000Z'),
  'epss_scores-current.csv':
    '#model_version:v2025.03.14,score_date:2026-01-01T00:00:00+0000\ncve,epss,percentile\nCVE-2024-6119,0.1,0.5\n',
}

const OPENSSL = {
  SPDXID: 'SPDXRef-openssl',
  name: 'openssl',
  versionInfo: '3.0.13',
  downloadLocation: 'NOASSERTION',
  externalRefs: [
    {
      referenceCategory: 'SECURITY',
      referenceType: 'cpe23Type',
      referenceLocator: 'cpe:2.3:a:openssl:openssl:3.0.13:*:*:*:*:*:*:*',
    },
  ],
}

function spdx(name: string) {
  return {
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    dataLicense: 'CC0-1.0',
    name,
    documentNamespace: `https://example.com/${name}`,
    creationInfo: { created: '2026-08-01T00:00:00Z', creators: ['Tool: build'] },
    packages: [OPENSSL],
  }
}

const VEX = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Acme',
  timestamp: '2026-08-01T00:00:00Z',
  version: 1,
  statements: [
    {
      vulnerability: { name: CVE },
      products: [{ '@id': 'pkg:generic/gateway@2.4.1' }],
      status: 'not_affected',
      justification: 'vulnerable_code_not_in_execute_path',
    },
  ],
}

/** Plays the operator's program of a newer release. */
const NEW_RELEASE = 'plimsoll-server-NEW/bin/plimsoll-admin'

/** @param root the repository. */
export function givenGuideFiles(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-guides-'))
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  for (const name of SBOMS) put(name, JSON.stringify(spdx(name)))
  for (const name of BINARIES) put(name, basename(name))
  for (const [name, content] of Object.entries(ADVISORIES))
    put(`advisories/${name}`, typeof content === 'string' ? content : JSON.stringify(content))
  put('product.openvex.json', JSON.stringify(VEX))
  put(NEW_RELEASE, '#!/bin/sh\nexec "$NODE" "$ADMIN" "$@"\n')
  chmodSync(join(folder, NEW_RELEASE), 0o755)
  const uploader = 'plimsoll_upload.py'
  copyFileSync(join(root, 'integrations/python', uploader), join(folder, uploader))
  return folder
}
