/** From a record's program files and a component's source files to a proposal, through real parsing and matching. */
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFolder } from '../../../test/given-feeds.ts'
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

const LINUX = 'cpe:2.3:o:linux:linux_kernel:6.6.21:*:*:*:*:*:*:*'

const record = (cveId: string, ...entries: object[]) => ({
  dataType: 'CVE_RECORD',
  dataVersion: '5.1',
  cveMetadata: { cveId, state: 'PUBLISHED' },
  containers: {
    cna: {
      providerMetadata: { shortName: 'Linux' },
      descriptions: [{ lang: 'en', value: `About ${cveId}.` }],
      affected: entries.map((entry) => ({
        vendor: 'Linux',
        product: 'Linux',
        defaultStatus: 'affected',
        versions: [
          {
            version: '6.7',
            lessThanOrEqual: '*',
            versionType: 'original_commit_for_fix',
            status: 'unaffected',
          },
        ],
        ...entry,
      })),
    },
  },
})
const inFiles = (cveId: string, ...programFiles: string[]) => record(cveId, { programFiles })

const RECORDS = [
  inFiles('CVE-2026-0001', 'net/sctp/socket.c'),
  inFiles('CVE-2026-0002', 'net/core/dev.c'),
  inFiles('CVE-2026-0003', 'net/sctp/socket.c', 'net/core/dev.c'),
  inFiles('CVE-2026-0004', 'include/net/sctp.h'),
  record('CVE-2026-0005', {}),
  inFiles('CVE-2026-0006', 'drivers/dma/idxd/'),
  inFiles('CVE-2026-0007', 'net/core/'),
  inFiles('CVE-2026-0008', 'net/core/DEV.c'),
  inFiles('CVE-2026-0009', 'net/xcore/dev.c'),
  inFiles('CVE-2026-0010', 'sound/core/dev.c'),
  record('CVE-2026-0011', { programFiles: ['net/sctp/socket.c'] }, {}),
]

/** What a kernel compiles, as its build or debug information may write it. */
const COMPILED = ['net/core/dev.c', 'net/ipv4/tcp.c', 'drivers/net/tun.c', 'fs/ext4/inode.c']

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  const folder = givenFolder({ 'cvelist.jsonl': RECORDS })
  await importFeeds(test.ctx, { path: folder })
  client = await givenClient(test)
})

const file = (name: string) => ({ type: 'file', name })
const kernel = (files: string[] = [], name = 'linux-yocto') => ({
  type: 'operating-system',
  name,
  version: '6.6.21',
  cpe: LINUX,
  components: files.map(file),
})

async function uploaded(firmwareVersionId: string, ...components: object[]) {
  const bytes = JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    components,
  })
  await upload(test, client, { firmwareVersionId, files: [{ name: 'bom.json', bytes }] })
  const sboms = await matchedSboms(client, firmwareVersionId)
  return sboms.at(-1)?.id ?? ''
}

async function componentId(sbomId: string, name: string) {
  const list = await client.post(`/sboms/${sbomId}/components/list`, { limit: 1000 })
  const { components } = list.json<{ components: { id: string; packageName: string }[] }>()
  return components.find(({ packageName }) => packageName === name)?.id ?? ''
}

async function putFiles(sbomId: string, files: string[], name = 'linux-yocto') {
  const url = `/sboms/${sbomId}/components/${await componentId(sbomId, name)}/source-files`
  const answer = await test.app.inject({
    method: 'PUT',
    url: `/workspaces/${client.workspaceId}${url}`,
    headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': 'text/plain' },
    payload: files.join('\n'),
  })
  expect(answer.statusCode).toBe(200)
}

interface ListedFinding {
  id: string
  cveId: string
}

async function listed(firmwareVersionId: string, filter: object): Promise<ListedFinding[]> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const answer = await client.post(path, { sortColumn: 'CveId', ascending: true, filter })
  expect(answer.statusCode).toBe(200)
  return answer.json<{ findings: ListedFinding[] }>().findings
}

/** The last two digits of those proposed; the detail has to say the same as the list. */
async function proposed(firmwareVersionId: string): Promise<string[]> {
  const yes = await listed(firmwareVersionId, { proposed: true })
  const no = await listed(firmwareVersionId, { proposed: false })
  expect(yes.length + no.length).toBe(RECORDS.length)
  for (const { id, cveId } of [...yes, ...no]) {
    const { proposal } = (await client.get(`/vulnerability-findings/${id}`)).json<{
      proposal: object | null
    }>()
    expect([cveId, proposal !== null]).toEqual([cveId, yes.some((one) => one.id === id)])
  }
  return yes.map(({ cveId }) => cveId.slice(-2))
}

async function acceptAll(firmwareVersionId: string) {
  const answer = await client.post('/vulnerability-findings/bulk-assess', {
    filter: { proposed: true, firmwareVersionIds: [firmwareVersionId] },
    assessment: 'NotAffected',
    justification: 'vulnerable_code_not_present',
  })
  expect(answer.statusCode).toBe(200)
  return answer.json<object>()
}

/** What a job brings about. */
async function eventually<Item>(list: () => Promise<Item[]>): Promise<Item[]> {
  for (;;) {
    const items = await list()
    if (items.length > 0) return items
    await delay(50)
  }
}

describe('a proposal', () => {
  it('is made for code that was not compiled, with its evidence, and for nothing else', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await uploaded(firmwareVersionId, kernel(COMPILED))

    expect(await proposed(firmwareVersionId)).toEqual(['01', '06', '08', '09'])
    const [first] = await listed(firmwareVersionId, { proposed: true })
    expect((await client.get(`/vulnerability-findings/${first?.id}`)).json()).toMatchObject({
      assessment: 'NotAssessed',
      isActive: true,
      proposal: {
        assessment: 'NotAffected',
        justification: 'vulnerable_code_not_present',
        detail:
          'The record places the vulnerable code in net/sctp/socket.c, which is not among the 4 source files the component was compiled from.',
        evidence: { vulnerableFiles: ['net/sctp/socket.c'], sourceFileCount: 4 },
      },
    })
  })

  it.each`
    because                                    | files
    ${'the place of the build'}                | ${COMPILED.map((path) => `/home/ci/build/linux-6.6.21/${path}`)}
    ${'Yocto’s shared source tree'}            | ${COMPILED.map((path) => `/b/tmp/work-shared/qemuarm/kernel-source/${path}`)}
    ${'a dot'}                                 | ${COMPILED.map((path) => `./${path}`)}
    ${'headers, which lists may hold as well'} | ${[...COMPILED, 'include/net/sctp.h']}
  `('does not depend on $because', async ({ files }: { files: string[] }) => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sbomId = await uploaded(firmwareVersionId, kernel())
    await putFiles(sbomId, files)

    expect(await proposed(firmwareVersionId)).toEqual(['01', '06', '08', '09'])
  })

  it('goes by the last name alone where the list is laid out otherwise', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sbomId = await uploaded(firmwareVersionId, kernel())
    await putFiles(sbomId, ['core/dev.c', 'ipv4/tcp.c'])

    expect(await proposed(firmwareVersionId)).toEqual(['01', '06', '08'])
  })

  it('appears with a list, goes when a file is listed, and goes with the list', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sbomId = await uploaded(firmwareVersionId, kernel())
    const without = await proposed(firmwareVersionId)
    await putFiles(sbomId, COMPILED)
    const withList = await proposed(firmwareVersionId)
    await putFiles(sbomId, [...COMPILED, 'net/sctp/socket.c', 'drivers/dma/idxd/init.c'])
    const withMore = await proposed(firmwareVersionId)
    const id = await componentId(sbomId, 'linux-yocto')
    await client.delete(`/sboms/${sbomId}/components/${id}/source-files`)

    expect([without, withList, withMore]).toEqual([[], ['01', '06', '08', '09'], ['08', '09']])
    expect(await proposed(firmwareVersionId)).toEqual([])
  })

  it('is made by the uploaded list instead of the one the SBOM has', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sbomId = await uploaded(firmwareVersionId, kernel(COMPILED))
    await putFiles(sbomId, [...COMPILED, 'net/sctp/socket.c'])

    expect(await proposed(firmwareVersionId)).toEqual(['06', '08', '09'])
  })

  it('needs the files of every component that stands for the package', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sbomId = await uploaded(
      firmwareVersionId,
      kernel(COMPILED),
      kernel([], 'kernel-module-sctp'),
    )
    const without = await proposed(firmwareVersionId)
    await putFiles(sbomId, COMPILED, 'kernel-module-sctp')

    expect(without).toEqual([])
    expect(await proposed(firmwareVersionId)).toEqual(['01', '06', '08', '09'])
  })

  it('needs those of every SBOM that declares the package, and compares with all of them', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await uploaded(firmwareVersionId, kernel(COMPILED))
    const recovery = await uploaded(firmwareVersionId, kernel())
    const without = await proposed(firmwareVersionId)
    await putFiles(recovery, ['net/sctp/socket.c'])

    expect(without).toEqual([])
    expect(await proposed(firmwareVersionId)).toEqual(['06', '08', '09'])
    await client.delete(`/sboms/${recovery}`)
    await matchedSboms(client, firmwareVersionId)
    expect(await proposed(firmwareVersionId)).toEqual(['01', '06', '08', '09'])
  })

  it('is accepted in bulk, and no proposal any more', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await uploaded(firmwareVersionId, kernel(COMPILED))

    const accepted = await acceptAll(firmwareVersionId)

    expect(accepted).toMatchObject({ matched: 4, changed: 4 })
    expect(await proposed(firmwareVersionId)).toEqual([])
    expect(await listed(firmwareVersionId, { assessments: ['NotAffected'] })).toHaveLength(4)
  })

  it('once accepted is to be looked at again when the code is compiled after all', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sbomId = await uploaded(firmwareVersionId, kernel(COMPILED))
    await acceptAll(firmwareVersionId)
    await putFiles(sbomId, [...COMPILED, 'net/sctp/socket.c'])

    const [finding] = await eventually(() => listed(firmwareVersionId, { recheck: true }))

    expect(finding).toMatchObject({
      cveId: 'CVE-2026-0001',
      assessment: 'NotAffected',
      recheckReason: 'The source files of the vulnerable code are now compiled',
    })
    expect(await listed(firmwareVersionId, { recheck: true })).toHaveLength(1)
    const asOf = new Date().toISOString()
    const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
    const past = await client.post(path, { asOf, filter: { recheck: true } })
    expect(past.json()).toMatchObject({ findings: [{ cveId: 'CVE-2026-0001' }] })
    const detail = await client.get(`/vulnerability-findings/${finding?.id}`)
    const { timeline } = detail.json<{ timeline: object[] }>()
    expect(timeline.at(-1)).toMatchObject({
      type: 'Assessment',
      source: 'System',
      assessment: {
        assessment: 'NotAffected',
        justification: 'vulnerable_code_not_present',
        recheckReason: 'The source files of the vulnerable code are now compiled',
      },
    })
  })

  it('once accepted is to be looked at again when the list it was made by is deleted', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sbomId = await uploaded(firmwareVersionId, kernel([...COMPILED, 'net/sctp/socket.c']))
    await putFiles(sbomId, COMPILED)
    await acceptAll(firmwareVersionId)
    expect(await listed(firmwareVersionId, { recheck: true })).toEqual([])

    const id = await componentId(sbomId, 'linux-yocto')
    await client.delete(`/sboms/${sbomId}/components/${id}/source-files`)

    const found = await eventually(() => listed(firmwareVersionId, { recheck: true }))
    expect(found).toMatchObject([{ cveId: 'CVE-2026-0001', assessment: 'NotAffected' }])
  })

  it('carried over to the next version is to be looked at again where that compiles the code', async () => {
    const firmware = (await client.post('/firmwares', { slug: `fw-${crypto.randomUUID()}` })).json<{
      id: string
    }>()
    const path = `/firmwares/${firmware.id}/versions`
    const first = (await client.post(path, { name: '1' })).json<{ id: string }>().id
    await uploaded(first, kernel(COMPILED))
    await acceptAll(first)
    const second = (await client.post(path, { name: '2' })).json<{ id: string }>().id
    await uploaded(second, kernel([...COMPILED, 'drivers/dma/idxd/init.c']))

    const [finding] = await eventually(() => listed(second, { recheck: true }))

    expect(finding).toMatchObject({ cveId: 'CVE-2026-0006', assessment: 'NotAffected' })
    expect(await listed(second, { recheck: true })).toHaveLength(1)
    expect(await listed(second, { assessments: ['NotAffected'] })).toHaveLength(4)
  })

  it('is of one workspace and firmware version', async () => {
    const listing = await givenFirmwareVersion(client)
    const other = await givenFirmwareVersion(client)
    await uploaded(listing, kernel(COMPILED))
    await uploaded(other, kernel())

    expect(await proposed(other)).toEqual([])
  })
})
