/** What the build knew about patches: inputs from public trackers, through upload and list. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom, type ListedFinding } from './field-cases.ts'
import { affectedIn, givenAdvisory } from './given-knowledge.ts'

/** Records of CVEs by which every version of the products is affected. */
const RECORDS = {
  'CVE-2018-25032': ['zlib:zlib', 'gnu:zlib'],
  'CVE-2022-37434': ['zlib:zlib', 'gnu:zlib'],
  'CVE-2023-45853': ['zlib:zlib'],
  'CVE-2020-10932': ['arm:mbed_tls'],
  'CVE-2019-16910': ['arm:mbed_tls'],
  'CVE-2021-44732': ['arm:mbed_tls'],
}

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
  for (const [id, products] of Object.entries(RECORDS))
    await givenAdvisory(service.ctx.db, {
      id,
      score: 7.5,
      severity: 'High',
      title: `Flaw ${id}`,
      affected: products.map((product) => affectedIn(`cpe:${product}`, [{ fixed: '99' }])),
    })
})

const assessed = (findings: readonly ListedFinding[]) =>
  findings
    .map(({ componentName, cveId, assessment }) => `${componentName} ${cveId} ${assessment}`)
    .toSorted()

describeFieldCase('a05-yocto22-sourceinfo', (folder) => {
  it('has what the recipe lists as fixed resolved by the build', async () => {
    const { findings } = await givenJudgedSbom(service, join(folder, 'recipe-zlib.spdx.json'))

    expect(assessed(findings)).toEqual([
      'zlib CVE-2018-25032 Resolved',
      'zlib CVE-2022-37434 Resolved',
      'zlib CVE-2023-45853 NotAssessed',
    ])
  })
})

describeFieldCase('a11-buildroot-pedigree', (folder) => {
  it('has what patches resolve resolved, beside what is in triage', async () => {
    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    // Both components are one package, of gnu:zlib and zlib:zlib: patches of both resolve the finding.
    expect(assessed(findings)).toEqual([
      'zlib CVE-2018-25032 Resolved',
      'zlib CVE-2022-37434 InTriage',
      'zlib CVE-2023-45853 NotAssessed',
    ])
  })
})

describeFieldCase('a03b-esp-exclude-list', (folder) => {
  it('has excluded CVEs not affected, with the reason', async () => {
    const { client, findings } = await givenJudgedSbom(service, join(folder, 'in.spdx'))

    expect(assessed(findings)).toEqual([
      'mbed_tls CVE-2019-16910 NotAffected',
      'mbed_tls CVE-2020-10932 NotAffected',
      'mbed_tls CVE-2021-44732 NotAssessed',
    ])
    const id = findings.find(({ cveId }) => cveId === 'CVE-2020-10932')?.id ?? ''
    expect((await client.get(`/vulnerability-findings/${id}`)).json()).toMatchObject({
      detail: 'patched downstream (cve-exclude-list of mbed_tls).',
    })
  })
})
