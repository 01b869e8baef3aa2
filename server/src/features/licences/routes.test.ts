/** Licence rules, what they say of versions, and notices, through the API. */
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenBinaries, givenFleet } from '../../../test/given-fleet.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  parsedSboms,
  upload,
} from '../../../test/given.ts'

const test = await startTestApp()
await test.startWorker()

interface Licences {
  rulesOf: string | null
  failingCount: number | null
  componentCount: number
  counts: Record<string, number> | null
  licences: {
    licence: string | null
    outcome: string | null
    chosen: string[]
    componentCount: number
    components: string[]
  }[]
}

const component = (name: string, licences: readonly string[], scope?: string) => ({
  type: 'library',
  name,
  version: '1',
  ...(scope !== undefined && { scope }),
  ...(licences.length === 1 && { licenses: [{ expression: licences[0] }] }),
  ...(licences.length > 1 && { licenses: licences.map((id) => ({ license: { id } })) }),
})

const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [
    component('a', ['MIT']),
    component('b', ['MIT']),
    component('c', ['GPL-3.0-only OR Apache-2.0']),
    component('d', ['MIT', 'AGPL-3.0-only']),
    component('e', []),
    component('f', ['LicenseRef-acme']),
    component('for-tests', ['AGPL-3.0-only'], 'excluded'),
  ],
}

const RULES = {
  allow: ['MIT', 'Apache-2.0'],
  deny: ['AGPL-3.0-only'],
  review: [],
  failOn: ['denied', 'unknown'],
}

async function givenVersion(given?: Client) {
  const client = given ?? (await givenClient(test))
  const firmwareVersionId = await givenFirmwareVersion(client)
  await upload(test, client, {
    firmwareVersionId,
    files: [{ name: 'bom.json', bytes: JSON.stringify(BOM) }],
  })
  await parsedSboms(client, firmwareVersionId)
  const path = `/firmware-versions/${firmwareVersionId}`
  const { firmware } = (await client.get(path)).json<{ firmware: { id: string } }>()
  const read = async () => (await client.get(`${path}/licences`)).json<Licences>()
  return { client, firmwareVersionId, path, firmware: `/firmwares/${firmware.id}`, read }
}

it('judges nothing, and says so, where there are no rules', async () => {
  const { read } = await givenVersion()

  expect(await read()).toMatchObject({
    rulesOf: null,
    failingCount: null,
    counts: null,
    componentCount: 6,
    licences: [{ licence: 'MIT', outcome: null, componentCount: 2 }, {}, {}, {}, {}],
  })
})

it('judges what ships by the rules of the workspace, the worst first', async () => {
  const { client, read } = await givenVersion()

  await client.put('/licence-rules', { rules: RULES })

  const { licences, ...rest } = await read()
  expect(rest).toMatchObject({
    rulesOf: 'Workspace',
    failingCount: 2,
    counts: { allowed: 3, review: 0, notListed: 1, unknown: 1, denied: 1 },
  })
  expect(licences).toMatchObject([
    { licence: '(MIT) AND (AGPL-3.0-only)', outcome: 'denied', components: ['d 1'] },
    { licence: null, outcome: 'unknown', components: ['e 1'] },
    { licence: 'LicenseRef-acme', outcome: 'notListed' },
    { licence: 'MIT', outcome: 'allowed', components: ['a 1', 'b 1'] },
    { licence: 'GPL-3.0-only OR Apache-2.0', outcome: 'allowed', chosen: ['Apache-2.0'] },
  ])
})

it('lets a firmware have rules of its own, until they are taken away', async () => {
  const { client, firmware, read } = await givenVersion()
  await client.put('/licence-rules', { rules: RULES })

  const own = { ...RULES, allow: [], deny: ['MIT'], failOn: ['denied'] }
  const put = await client.put(`${firmware}/licence-rules`, { ownRules: own })
  const withOwn = await read()
  await client.put(`${firmware}/licence-rules`, { ownRules: null })

  expect(put.json()).toEqual({ ownRules: own, workspaceRules: RULES })
  expect(withOwn).toMatchObject({ rulesOf: 'Firmware', failingCount: 3 })
  expect(await read()).toMatchObject({ rulesOf: 'Workspace', failingCount: 2 })
})

it.each`
  rules                                              | pointer
  ${{ ...RULES, allow: ['MIT OR Apache-2.0'] }}      | ${'/rules/allow/0'}
  ${{ ...RULES, deny: ['not a licence'] }}           | ${'/rules/deny/0'}
  ${{ ...RULES, deny: ['('.repeat(200)] }}           | ${'/rules/deny/0'}
  ${{ allow: [], deny: [], review: [], failOn: [] }} | ${'/rules'}
`('refuses $rules', async ({ rules, pointer }: { rules: object; pointer: string }) => {
  const client = await givenClient(test)

  const put = await client.put('/licence-rules', { rules })

  expect(put.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
  expect((await client.get('/licence-rules')).json()).toEqual({ rules: null })
})

it('has the release gate block what may not ship, until somebody takes the responsibility', async () => {
  const fleet = await givenFleet(test, 1)
  const { client, workspaceId } = fleet
  const { firmwareVersionId } = await givenVersion(client)
  await givenBinaries(test.ctx, workspaceId, [[firmwareVersionId, 'image.bin']])
  await client.put('/licence-rules', { rules: RULES })
  await client.patch('/settings', { releaseGate: 'Block' })
  const body = { name: 'Licences', artifacts: [{ firmwareVersionId }] }

  const refused = await client.post(fleet.path, body)
  const acknowledgement = { reason: 'Bought from its author' }
  const created = await client.post(fleet.path, { ...body, acknowledgement })

  expect(refused.json()).toMatchObject({
    type: '/problems/release-gate',
    detail: expect.stringContaining('2 components whose licences may not ship') as unknown,
  })
  expect(created.json()).toMatchObject({ gate: { failingLicenceCount: 2, acknowledgement } })
})

it('writes a notice with components and the texts of their licences', async () => {
  const { client, path } = await givenVersion()

  const text = await client.get(`${path}/notice`)
  const page = await client.get(`${path}/notice/page`)

  expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text.body).toContain('6 components')
  expect(text.body).toContain('No licence is stated\n  - e 1')
  expect(text.body).toContain('MIT\n  - a 1\n  - b 1')
  expect(text.body).toContain('Permission is hereby granted, free of charge')
  expect(text.body).toContain('GNU AFFERO GENERAL PUBLIC LICENSE')
  expect(text.body).toContain('Without a text here, as SPDX lists none: LicenseRef-acme')
  expect(text.body).not.toContain('for-tests')
  expect(page.body).toContain('<li>a 1</li>')
})

it('compares what two versions bring and leave, a component by its name', async () => {
  const { client, firmware, firmwareVersionId: base } = await givenVersion()
  const { id } = (await client.post(`${firmware}/versions`, { name: 'next' })).json<{
    id: string
  }>()
  const components = [
    { ...component('a', ['MIT']), version: '2' },
    component('c', ['AGPL-3.0-only']),
    component('new', ['AGPL-3.0-only']),
    component('for-building', ['AGPL-3.0-only'], 'excluded'),
  ]
  const bytes = JSON.stringify({ ...BOM, components })
  await upload(test, client, { firmwareVersionId: id, files: [{ name: 'bom.json', bytes }] })
  await parsedSboms(client, id)
  const compare = async (path: string) => {
    const answer = await client.get(`/firmware-versions/${id}/${path}?base=${base}`)
    return answer.json<{ licences: unknown }>().licences
  }

  const unjudged = await compare('diff')
  await client.put('/licence-rules', { rules: RULES })
  const judged = await compare('diff')

  expect(unjudged).toBeNull()
  expect(judged).toEqual({
    brought: { allowed: 0, review: 0, notListed: 0, unknown: 0, denied: 2 },
    left: { allowed: 2, review: 0, notListed: 1, unknown: 1, denied: 1 },
  })
  expect(await compare('diff-counts')).toEqual(judged)
})

it('shows nothing to other workspaces', async () => {
  const { path, firmware } = await givenVersion()
  const stranger = await givenClient(test)

  for (const asked of [`${path}/licences`, `${path}/notice`, `${firmware}/licence-rules`])
    expect((await stranger.get(asked)).statusCode).toBe(404)
})
