/** Inputs from public trackers about packages of distributions: who built them, and whose records decide. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import {
  describeFieldCase,
  givenJudgedSbom,
  importRecords,
  type ListedFinding,
} from './field-cases.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

const shown = ({ componentName, cveId, confidence }: ListedFinding) =>
  `${componentName} ${cveId} ${confidence}`

describeFieldCase('b10-bpo-kernel', (folder) => {
  // c1 and c4 are binaries of one source, curl 8.11.1-1 of trixie; c2 is 8.12.1-1, which is repaired.
  it('asks no record of bookworm about a backport', async () => {
    await importRecords(service, folder)

    const kernels = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))
    const curl = await givenJudgedSbom(service, join(folder, 'in2.cdx.json'))

    const versions = ({ cveId, componentVersion, confidence }: ListedFinding) =>
      `${cveId} ${componentVersion ?? ''} ${confidence}`
    expect(kernels.findings.map(versions).toSorted()).toEqual([
      'CVE-2099-46195 6.1.170-1 High',
      'CVE-2099-46196 6.1.170-1 High',
    ])
    expect(curl.findings.map(versions).toSorted()).toEqual([
      'CVE-2099-46200 7.88.1-10+deb12u8 High',
      'CVE-2099-46200 8.11.1-1~bpo12+1 High',
    ])
  })
})

describeFieldCase('b16-thirdparty-deb', (folder) => {
  it('lets NVD decide about packages that others built for a release', async () => {
    await importRecords(service, folder)

    const { findings, client } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    expect(findings.map(shown).toSorted()).toEqual([
      'nginx-deb CVE-2099-16001 High',
      'nginx-org CVE-2099-16001 Medium',
      'nginx-org-el9 CVE-2099-16001 Medium',
      'redis-io CVE-2099-16002 Medium',
      'redis-ppa CVE-2099-16002 Medium',
    ])
    const ofNginx = findings.find(({ componentName }) => componentName === 'nginx-org')
    const path = `/vulnerability-findings/${ofNginx?.id ?? ''}`
    expect(await client.get(path).then((answer) => answer.body)).toContain(
      '“~bookworm” in its version is not a mark of Debian',
    )
  })
})
