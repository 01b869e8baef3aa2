/** Versions with what builders add, dates, and builds of distributions, through upload, import and list. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import {
  describeFieldCase,
  givenJudgedSbom,
  importRecords,
  type ListedFinding,
} from './field-cases.ts'

async function givenService(records?: string): Promise<TestApp> {
  const service = await startTestApp()
  await service.startWorker()
  if (records !== undefined) await importRecords(service, records)
  return service
}

const sharedData = resolve(import.meta.dirname, '../../../shared/data')

/** A folder of the published records of these vulnerabilities. */
function givenPublished(files: readonly string[], cveIds: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-field-'))
  for (const [index, file] of files.entries()) {
    const lines = gunzipSync(readFileSync(join(sharedData, file)))
      .toString('utf8')
      .split('\n')
      .filter((line) => cveIds.some((id) => line.includes(`"${id}"`)))
    writeFileSync(join(folder, `${index}.jsonl`), `${lines.join('\n')}\n`)
  }
  return folder
}

function componentsOf(findings: readonly ListedFinding[], cveId: string): Record<string, string> {
  return Object.fromEntries(
    findings
      .filter((finding) => finding.cveId === cveId)
      .map(({ componentName, confidence }) => [componentName, confidence] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

describeFieldCase('b01-suffix-inclusive', (folder) => {
  it('finds every build of the release that is affected, and no later release', async () => {
    const service = await givenService(folder)

    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const last = componentsOf(findings, 'CVE-2099-10001')
    const exact = componentsOf(findings, 'CVE-2099-10002')
    const fixed = componentsOf(findings, 'CVE-2099-10003')
    // w13 is NOTFOUND, w34 is 1.30.0a; w14 and w15 are one package with w00.
    const all = Array.from(
      { length: 46 },
      (_, index) => `w${String(index).padStart(2, '0')}`,
    ).filter((name) => !['w13', 'w14', 'w15'].includes(name))
    const stages = ['w27', 'w30', 'w31', 'w32', 'w35', 'w37']
    expect(all.filter((name) => !(name in last))).toEqual(['w34'])
    expect(last['w00']).toBe('High')
    expect(last['w01']).toBe('Medium')
    expect(all.filter((name) => !(name in exact))).toEqual([...stages, 'w34'].toSorted())
    expect(Object.keys(fixed)).toEqual(stages)
  })

  it('finds them in U-Boot and BusyBox, too', async () => {
    const records = givenPublished(
      ['nvd/nvd20-firmware-converted-from-11.jsonl.gz'],
      ['CVE-2022-30552', 'CVE-2019-5747'],
    )
    const service = await givenService(records)

    const { findings } = await givenJudgedSbom(service, join(folder, 'real.cdx.json'))

    const uboot = Object.keys(componentsOf(findings, 'CVE-2022-30552'))
    const busybox = Object.keys(componentsOf(findings, 'CVE-2019-5747'))
    expect(uboot).toEqual(['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8', 'u9'])
    // y3 and y6 are one package with y2, y13 with y12.
    expect(busybox).toEqual(expect.arrayContaining(['y1', 'y12', 'y14', 'y15', 'y2']))
  })
})

describeFieldCase('b20-ncs-esp', (folder) => {
  it('finds Zephyr 3.6.0 with a suffix', async () => {
    const records = givenPublished(
      [
        'nvd/nvd20-firmware.jsonl.gz',
        'nvd/nvd20-firmware-converted-from-11.jsonl.gz',
        'cve5/vulnrichment-firmware.jsonl.gz',
      ],
      ['CVE-2024-6442', 'CVE-2024-3332'],
    )
    const service = await givenService(records)

    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    // z5 is one package with z0.
    for (const cveId of ['CVE-2024-6442', 'CVE-2024-3332'])
      expect(Object.keys(componentsOf(findings, cveId))).toEqual(
        expect.arrayContaining(['z0', 'z1', 'z2', 'z3', 'z8']),
      )
  })
})

describeFieldCase('b19-openssl-suffix', (folder) => {
  it('reads 1.1.1s and 3.0.7 out of every tag', async () => {
    const service = await givenService(join(sharedData, 'cve5/openssl-cna.jsonl.gz'))

    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const of = (name: string) =>
      findings.filter(({ componentName }) => componentName === name).map(({ cveId }) => cveId)
    for (const name of ['o01', 'o02', 'o03', 'o04', 'o05', 'o15'])
      expect(new Set(of(name))).toEqual(new Set(of('o00')))
    for (const name of ['o07', 'o08', 'o09', 'o10', 'o11', 'o16', 'o17', 'o18'])
      expect(new Set(of(name))).toEqual(new Set(of('o06')))
    expect(of('o05')).toContain('CVE-2023-0286')
  })
})

describeFieldCase('b14-date-shaped', (folder) => {
  it('decides nothing by the order of a date or of a build of Fedora', async () => {
    const service = await givenService(folder)

    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))
    const ofChanges = (await givenJudgedSbom(service, join(folder, 'in2.cdx.json'))).findings

    for (const cveId of ['CVE-2099-14001', 'CVE-2099-14003', 'CVE-2099-14004'])
      expect(componentsOf(findings, cveId)).not.toHaveProperty('d0')
    const after = Object.keys(componentsOf(ofChanges, 'CVE-2099-14007'))
    expect(after).toEqual(['d00', 'd04', 'd05', 'd08'])
  })
})

describeFieldCase('b07-ncurses-date', (folder) => {
  it('counts the date of a patch', async () => {
    const service = await givenService(folder)

    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    // n07 is one package with n00.
    const before = ['n00', 'n02', 'n03', 'n04', 'n05', 'n06']
    for (const cveId of ['CVE-2099-70001', 'CVE-2099-70004'])
      expect(Object.keys(componentsOf(findings, cveId))).toEqual(before)
  })
})

/** Why components are not matched, by their names. */
async function reasonsOf(
  { ctx }: TestApp,
  { workspaceId }: { workspaceId: string },
): Promise<Record<string, string | null | undefined>> {
  const rows = await ctx.db
    .selectFrom('sbomComponents')
    .select(['packageName', 'notMatchedReason'])
    .where('workspaceId', '=', workspaceId)
    .execute()
  return Object.fromEntries(
    rows.map(({ packageName, notMatchedReason }) => [packageName, notMatchedReason]),
  )
}

describeFieldCase('b18-vendor-tag-kernel', (folder) => {
  it('judges no tag of a board support package, and says so', async () => {
    const service = await givenService()

    const { client } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const reasons = await reasonsOf(service, client)
    const missing = ['linux', 'linux-xlnx', 'linux-ti', 'linux-rpi', 'linux-qcom', 'linux-ls']
    const released = ['linux-imx', 'linux-stm32', 'linux-socfpga', 'linux-good']
    for (const name of missing) expect([name, reasons[name]]).toEqual([name, 'version missing'])
    for (const name of released) expect([name, reasons[name]]).toEqual([name, null])
  })
})

describeFieldCase('a03-esp-notfound', (folder) => {
  it('does not judge a version that git could not describe', async () => {
    const service = await givenService()

    const { client } = await givenJudgedSbom(service, join(folder, 'in.spdx'))

    const reasons = await reasonsOf(service, client)
    expect(reasons['component-nvs_flash']).toBe('version missing')
    expect(reasons['mbed_tls']).toBeNull()
  })
})
