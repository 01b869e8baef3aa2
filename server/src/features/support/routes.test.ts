/** Until when components get fixes: by the source, by what a workspace states, on the day of the clock. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../test/given.ts'
import { givenFolder } from '../../../test/given-feeds.ts'
import { supportCycle, supportList, supportProduct } from '../../../test/given-support.ts'
import { SUPPORT_FACTS } from '../../../test/support-facts.ts'
import { importFeeds } from '../advisories/index.ts'
import { deriveChangedProducts } from './derivation-service.ts'

let service: TestApp
let client: Client
let day = '2026-11-29'
beforeAll(async () => {
  service = await startTestApp()
  service.ctx.now = () => new Date(`${day}T12:00:00Z`)
  await service.startWorker()
})
beforeEach(async () => {
  day = '2026-11-29'
  client = await givenClient(service)
  await givenList(SUPPORT_FACTS)
})

let made = 0
async function givenList(products: readonly object[]): Promise<void> {
  const at = new Date(Date.UTC(2026, 10, 1) + ++made * 1_000).toISOString()
  await importFeeds(service.ctx, { path: givenFolder({ 'full.json': supportList(products, at) }) })
  await deriveChangedProducts(service.ctx, {})
}

type Named = Record<'name' | 'version', string> & { purl?: string; cpe?: string }

const OPENSSL: Named = {
  name: 'openssl',
  version: '3.0.13',
  cpe: 'cpe:2.3:a:openssl:openssl:3.0.13:*:*:*:*:*:*:*',
}
const KERNEL: Named = {
  name: 'linux',
  version: '6.12.38',
  cpe: 'cpe:2.3:o:linux:linux_kernel:6.12.38:*:*:*:*:*:*:*',
}
const NEWER: Named = {
  ...KERNEL,
  version: '7.1.0',
  cpe: KERNEL.cpe?.replace('6.12.38', '7.1.0') ?? '',
}
const SDK: Named = { name: 'acme-sdk', version: '2.4.0', purl: 'pkg:generic/acme-sdk@2.4.0' }
const DEBIAN: Named = {
  name: 'libssl1.1',
  version: '1.1.1n-0+deb11u5',
  purl: 'pkg:deb/debian/libssl1.1@1.1.1n-0+deb11u5?distro=debian-11',
}

async function givenVersionOf(...components: Named[]): Promise<string> {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: components.map((one) => ({ type: 'library', ...one })),
  }
  const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
  await upload(service, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  return firmwareVersionId
}

interface Entry {
  state: string
  source: string
  label: string
  cycle: string | null
  endsOn: string | null
  endsBeforePromise: boolean
  why: string
  componentCount: number
}

async function readSupport(firmwareVersionId: string) {
  const response = await client.get(`/firmware-versions/${firmwareVersionId}/support`)
  expect(response.statusCode).toBe(200)
  return response.json<{ entries: Entry[]; counts: Record<string, number>; deviceCount: number }>()
}

const tell = ({ state, label, cycle, endsOn }: Entry) =>
  [state, label, cycle ?? '?', endsOn ?? '?'].join(' ')

describe('the support of a firmware version', () => {
  it('tells what is out of support, what will be, and what is not known, each with why', async () => {
    const id = await givenVersionOf(OPENSSL, KERNEL, NEWER, SDK, DEBIAN)

    const { entries, counts } = await readSupport(id)

    expect(entries.map(tell)).toEqual([
      'Ended Debian 11 2024-08-14',
      'Ended OpenSSL 3.0 2026-09-07',
      'Ending Linux kernel 6.12 2028-12-31',
      'NotKnown Linux kernel ? ?',
    ])
    expect(entries.map(({ why }) => why)).toEqual([
      'Debian 11 builds it, so that it is supported as long as Debian 11 is.',
      'openssl:openssl 3.0.13 belongs to OpenSSL 3.0, by endoflife.date.',
      'linux:kernel 6.12.38 belongs to Linux kernel 6.12, by endoflife.date.',
      'endoflife.date lists Linux kernel, and no release cycle that linux:kernel 7.1.0 belongs to.',
    ])
    expect(counts).toEqual({
      ended: 2,
      ending: 1,
      endingBeforePromise: 0,
      noEndPlanned: 0,
      notKnown: 1,
      notListed: 1,
    })
  })

  it('follows the day without anything being written', async () => {
    const id = await givenVersionOf(KERNEL)
    const rows = async () =>
      (await sql`select * from package_support order by package_id`.execute(service.ctx.db)).rows
    const before = await rows()

    day = '2028-12-30'
    expect((await readSupport(id)).entries.map(tell)).toEqual([
      'Ending Linux kernel 6.12 2028-12-31',
    ])
    day = '2028-12-31'
    expect((await readSupport(id)).entries.map(tell)).toEqual([
      'Ended Linux kernel 6.12 2028-12-31',
    ])
    expect(await rows()).toEqual(before)
  })

  it('compares with the day that the firmware promises', async () => {
    const id = await givenVersionOf(KERNEL)
    const { firmware } = (await client.get(`/firmware-versions/${id}`)).json<{
      firmware: { id: string }
    }>()
    const path = `/firmwares/${firmware.id}`

    const patched = await client.patch(path, { supportEndsOn: '2030-01-01' })

    expect(patched.json()).toMatchObject({ supportEndsOn: '2030-01-01' })
    expect(await readSupport(id)).toMatchObject({
      supportEndsOn: '2030-01-01',
      counts: { endingBeforePromise: 1 },
      entries: [{ endsBeforePromise: true }],
    })
    await client.patch(path, { supportEndsOn: null })
    expect(await readSupport(id)).toMatchObject({
      supportEndsOn: null,
      entries: [{ endsBeforePromise: false }],
    })
    expect((await client.patch(path, { supportEndsOn: '2030-02-30' })).statusCode).toBe(400)
  })

  it('follows cycles that come, dates that move and products that go', async () => {
    const product = (...cycles: object[]) =>
      supportProduct('acme-os', cycles, { identifiers: ['cpe:2.3:o:acme:acme_os'] })
    const id = await givenVersionOf({
      name: 'acme_os',
      version: '5.2',
      cpe: 'cpe:2.3:o:acme:acme_os:5.2:*:*:*:*:*:*:*',
    })
    const told = async () => (await readSupport(id)).entries.map(tell)
    expect(await told()).toEqual([])

    await givenList([product(supportCycle('4', '2025-01-01'))])
    expect(await told()).toEqual(['NotKnown acme-os ? ?'])
    await givenList([product(supportCycle('5', '2027-01-01'), supportCycle('4', '2025-01-01'))])
    expect(await told()).toEqual(['Ending acme-os 5 2027-01-01'])
    await givenList([product(supportCycle('5', '2026-01-01'))])
    expect(await told()).toEqual(['Ended acme-os 5 2026-01-01'])
    await givenList([supportProduct('acme-os', [supportCycle('5', '2026-01-01')])])
    expect(await told()).toEqual([])
  })

  it('is a CSV with a line for each component', async () => {
    const id = await givenVersionOf(OPENSSL, SDK)

    const { body } = await client.get(`/firmware-versions/${id}/support/export`)

    const lines = body.trim().split('\r\n')
    expect(lines).toHaveLength(3)
    expect(lines.find((line) => line.startsWith('acme-sdk'))).toContain('NotListed')
    expect(lines.find((line) => line.startsWith('openssl'))).toContain(
      'Ended,endoflife,OpenSSL,3.0',
    )
  })
})

it('is part of the comparison of two versions, as far as it changes', async () => {
  const older = {
    ...OPENSSL,
    version: '1.1.1n',
    cpe: OPENSSL.cpe?.replace('3.0.13', '1.1.1n') ?? '',
  }
  const base = await givenVersionOf(older, KERNEL)
  const soon = { ...KERNEL, version: '5.15.1', cpe: KERNEL.cpe?.replace('6.12.38', '5.15.1') ?? '' }
  const id = await givenVersionOf(OPENSSL, soon, KERNEL, SDK)
  const support = {
    withinDays: 90,
    brought: { endedCount: 1, endingCount: 1 },
    left: { endedCount: 1, endingCount: 0 },
  }

  for (const path of ['diff', 'diff-counts']) {
    const response = await client.get(`/firmware-versions/${id}/${path}?base=${base}`)
    expect(response.json()).toMatchObject({ support })
  }
})

describe('ends of support that a workspace states', () => {
  const state = (body: object) => client.post('/support-statements', body)

  it('come before what the source says, for versions there are and versions to come', async () => {
    const earlier = await givenVersionOf(SDK, OPENSSL)
    const response = await state({
      name: 'acme-sdk',
      versionBefore: '3.0',
      endsOn: '2027-06-30',
      link: 'https://acme.example',
    })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({ packageCount: 1, state: 'Ending' })
    await state({ purl: 'pkg:generic/openssl', endsOn: null, note: 'Contract' })
    const later = await givenVersionOf(SDK, {
      ...SDK,
      version: '3.0.1',
      purl: 'pkg:generic/acme-sdk@3.0.1',
    })

    expect((await readSupport(earlier)).entries.map(tell)).toEqual([
      'Ending acme-sdk ? 2027-06-30',
      'NoEndPlanned pkg:generic/openssl ? ?',
    ])
    const { entries, counts } = await readSupport(later)
    expect(entries.map(tell)).toEqual(['Ending acme-sdk ? 2027-06-30'])
    expect(entries[0]?.componentCount).toBe(1)
    expect(counts['notListed']).toBe(1)
  })

  it('can be changed and deleted, and the audit log tells', async () => {
    const id = await givenVersionOf(OPENSSL)
    const { id: statementId } = (await state({ name: 'openssl', endsOn: '2030-01-01' })).json<{
      id: string
    }>()
    const path = `/support-statements/${statementId}`

    await client.patch(path, { versionFrom: '3.1' })
    expect((await readSupport(id)).entries.map(tell)).toEqual(['Ended OpenSSL 3.0 2026-09-07'])
    await client.patch(path, { versionFrom: null })
    expect((await readSupport(id)).entries.map(tell)).toEqual(['Ending openssl ? 2030-01-01'])
    expect((await client.delete(path)).statusCode).toBe(204)
    expect((await readSupport(id)).entries.map(tell)).toEqual(['Ended OpenSSL 3.0 2026-09-07'])
    const { rows } = await sql<{ action: string }>`
      select action from audit_log where workspace_id = ${client.workspaceId} and resource_type = 'support-statement'
      order by created_at`.execute(service.ctx.db)
    expect(rows.map(({ action }) => action.split('.')[1])).toEqual([
      'create',
      'update',
      'update',
      'delete',
    ])
  })

  it.each`
    body                                                                 | pointer
    ${{ endsOn: null }}                                                  | ${'/name'}
    ${{ name: 'a', purl: 'pkg:generic/a', endsOn: null }}                | ${'/purl'}
    ${{ purl: 'not a purl', endsOn: null }}                              | ${'/purl'}
    ${{ name: 'a', versionFrom: '2', versionBefore: '1', endsOn: null }} | ${'/versionBefore'}
    ${{ name: 'a', endsOn: '2026-02-30' }}                               | ${'/endsOn'}
    ${{ name: 'a', endsOn: null, link: 'javascript:alert(1)' }}          | ${'/link'}
  `('are refused with the place of the fault: $pointer', async ({ body, pointer }) => {
    const response = await state(body as object)

    expect(response.statusCode).toBe(400)
    expect(response.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe(pointer)
  })

  it('are of their workspace alone', async () => {
    const { id: statementId } = (await state({ name: 'openssl', endsOn: '2030-01-01' })).json<{
      id: string
    }>()
    client = await givenClient(service)
    const id = await givenVersionOf(OPENSSL)

    expect((await readSupport(id)).entries.map(tell)).toEqual(['Ended OpenSSL 3.0 2026-09-07'])
    expect((await client.get(`/support-statements/${statementId}`)).statusCode).toBe(404)
    expect((await client.get('/support-statements')).json()).toEqual({ statements: [] })
  })
})
