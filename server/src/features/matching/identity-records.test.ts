/** Findings that rested on a wrong name or version, each on the real record. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { identifyPackage, type IdentifiableComponent } from '../../formats/identity.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'a',
  version: undefined,
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}

const NVD = ['nvd20-firmware', 'nvd20-firmware-converted-from-11', 'nvd20-sample']

describeWithSharedData('a real record of NVD', (folder) => {
  const lines = NVD.flatMap((name) =>
    gunzipSync(readFileSync(join(folder, `nvd/${name}.jsonl.gz`)))
      .toString('utf8')
      .split('\n'),
  )

  /** The confidence of the match of the record and the component, and why; undefined: no match. */
  function matched(cveId: string, component: Partial<IdentifiableComponent>) {
    const line = lines.find((text) => text.includes(`"id":"${cveId}"`))
    if (line === undefined) throw new Error(`no record of ${cveId}`)
    const parsed = parseNvdRecord(JSON.parse(line))
    const result = identifyPackage({ ...NOTHING, ...component })
    if (!parsed.ok || !('identity' in result)) throw new Error('not read')
    const candidates = parsed.value.affected.map((affected) => ({
      source: 'nvd' as const,
      advisoryId: cveId,
      affected,
    }))
    const match = decideMatch(matchPackage(result.identity, candidates))
    return (
      match && { confidence: match.confidence, notes: match.evidence.flatMap((one) => one.notes) }
    )
  }

  it('of Kerberos 4 is not about Kerberos 5, whose versions it writes as 5-1.21.3', () => {
    const krb5 = (version: string) => ({
      purl: `pkg:deb/debian/libkrb5-3@${version}-1?upstream=krb5&distro=debian-12`,
    })

    expect(matched('CVE-2000-0546', krb5('1.21.3'))).toBeUndefined()
    expect(matched('CVE-2000-0546', krb5('1.0.6'))).toMatchObject({ confidence: 'Medium' })
    const recipe = { cpes: ['cpe:2.3:*:*:kerberos:5-1.21.3:*:*:*:*:*:*:*'] }
    expect(matched('CVE-2000-0546', recipe)).toBeUndefined()
  })

  it('of curl that lists an operating system is no finding of the system as a component', () => {
    const system = {
      packageName: 'Red Hat Enterprise Linux',
      version: '8.0',
      cpes: ['cpe:2.3:o:redhat:enterprise_linux:8.0:*:*:*:*:*:*:*'],
    }

    expect(matched('CVE-2018-16890', system)).toMatchObject({
      confidence: 'Low',
      notes: ['the CPE is of the system or product line that the package is part of'],
    })
  })

  it('of protobuf in C++ is a guess for the Go module beside which a scanner states its CPE', () => {
    const module = {
      purl: 'pkg:golang/google.golang.org/protobuf@v1.0.0',
      cpes: ['cpe:2.3:a:google:protobuf:v1.0.0:*:*:*:*:*:*:*'],
    }

    expect(matched('CVE-2015-5237', module)).toMatchObject({ confidence: 'Low' })
    expect(matched('CVE-2015-5237', { cpes: module.cpes })).toMatchObject({ confidence: 'High' })
  })
})
