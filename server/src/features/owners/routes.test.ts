/** Teams, owner rules, and whom findings belong to, through the API. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenDecision, givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'

const test = await startTestApp()

interface Owner {
  type: string
  id: string
  name: string
  ruleId: string | null
}
interface Row {
  id?: string
  cveId: string
  packageId?: string
  componentName: string
  owners: Owner[]
  isPartlyUnowned: boolean
}

const rulesOf = async (client: Client, command: object) => {
  const response = await client.put('/owner-rules', { teams: [], ...command })
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
  return response.json<{
    rules: { id: string; vacancy: string | null }[]
    teams: { id: string }[]
  }>()
}

const listRows = async (
  client: Client,
  filter: object = {},
  path = '/vulnerability-findings/list',
) => {
  const response = await client.post(path, { filter, limit: 500 })
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
  const body = response.json<{ findings?: Row[]; vulnerabilities?: Row[] }>()
  return body.findings ?? body.vulnerabilities ?? []
}

const namesOf = (rows: readonly Row[]) =>
  rows.map(({ owners }) => owners.map(({ name }) => name).join(' and ')).toSorted()

async function givenWorkspace() {
  const client = await givenClient(test)
  const { workspaceId } = client
  const [boot, net] = [
    await givenProduct(test.ctx, ['Critical']),
    await givenProduct(test.ctx, ['High']),
  ]
  const [ann, ben] = [
    await givenMember(test, workspaceId, 'Engineer'),
    await givenMember(test, workspaceId, 'Engineer'),
  ]
  const componentOf = ({ product, cpes }: typeof boot) => ({
    packageName: product,
    version: '1.0',
    cpes,
  })
  const one = await givenVersion(test.ctx, workspaceId, [componentOf(boot), componentOf(net)])
  const other = await givenVersion(test.ctx, workspaceId, [componentOf(net)])
  const firmwareOf = async (id: string) =>
    (await client.get(`/firmware-versions/${id}`)).json<{ firmware: { id: string } }>().firmware.id
  return {
    client,
    boot,
    net,
    ann,
    ben,
    one,
    other,
    oneFirmwareId: await firmwareOf(one.firmwareVersionId),
    otherFirmwareId: await firmwareOf(other.firmwareVersionId),
  }
}

it('gives findings to the owner of the first rule that fits, and an assignee wins', async () => {
  const { client, boot, net, ann, ben, one } = await givenWorkspace()
  await rulesOf(client, {
    teams: [{ name: 'Boot', memberIds: [ben.id] }],
    rules: [
      { components: [`${boot.product.toUpperCase().slice(0, -2)}*`], team: 'Boot' },
      { components: ['product-*'], memberId: ann.id },
    ],
  })
  const path = `/firmware-versions/${one.firmwareVersionId}/vulnerability-findings/list`

  expect(namesOf(await listRows(client))).toEqual(['Boot', ann.email].toSorted())
  expect(namesOf(await listRows(client, {}, '/vulnerabilities/list'))).toEqual(
    ['Boot', ann.email].toSorted(),
  )
  expect(namesOf(await listRows(client, { owners: ['Boot'] }, path))).toEqual(['Boot'])
  expect(namesOf(await listRows(client, { owners: [ben.id] }))).toEqual(['Boot'])
  expect(await listRows(client, { owners: ['none'] })).toEqual([])

  await client.put(`/vulnerabilities/${net.cveIds[0]}/assignee`, { subjectId: ben.id })
  expect(
    (await listRows(client, { owners: [ben.id] })).map(({ cveId }) => cveId).toSorted(),
  ).toEqual([...boot.cveIds, ...net.cveIds].toSorted())
  expect(await listRows(client, { owners: [ann.id] })).toEqual([])
  const [finding] = await listRows(client, { owners: [ben.id], cveIds: net.cveIds }, path)
  expect((await client.get(`/vulnerability-findings/${finding?.id}`)).json()).toMatchObject({
    owner: { type: 'Member', id: ben.id, name: ben.email, ruleId: null },
  })
})

it('tells owners of each firmware apart, also with what findings of others were decided', async () => {
  const { client, net, ann, one, oneFirmwareId } = await givenWorkspace()
  await rulesOf(client, { rules: [{ firmwareIds: [oneFirmwareId], memberId: ann.id }] })

  const [row] = await listRows(client, { cveIds: net.cveIds })
  expect([row?.owners.map(({ name }) => name), row?.isPartlyUnowned]).toEqual([[ann.email], true])
  const ofAnn = { owners: [ann.id], cveIds: net.cveIds }
  expect(await listRows(client, { ...ofAnn, activeOnly: true })).toHaveLength(1)

  const decision = { vulnerabilityId: net.cveIds[0] ?? '', assessment: 'NotAffected' as const }
  await givenDecision(test.ctx, one, decision)
  expect(await listRows(client, { ...ofAnn, activeOnly: true })).toEqual([])
  expect(await listRows(client, ofAnn)).toHaveLength(1)
  expect(
    await listRows(client, { owners: ['none'], cveIds: net.cveIds, activeOnly: true }),
  ).toHaveLength(1)
})

it('resolves me to whoever asks, and refuses an owner that is nobody', async () => {
  const { client, ann } = await givenWorkspace()
  await rulesOf(client, { rules: [{ memberId: ann.id }] })
  const url = `/api/v1/workspaces/${client.workspaceId}/vulnerability-findings/list`

  const mine = await ann.browser.post(url.replace('/api/v1', ''), { filter: { owners: ['me'] } })
  expect(mine.json<{ findings: Row[] }>().findings).toHaveLength(2)
  const refused = await client.post('/vulnerability-findings/list', {
    filter: { owners: ['Nobody'] },
  })
  expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('Nobody')])
})

it('says that an owner left, and gives the findings to the next rule', async () => {
  const { client, ann, ben } = await givenWorkspace()
  await rulesOf(client, {
    teams: [{ name: 'Boot', memberIds: [ann.id] }],
    rules: [{ memberId: ann.id }, { team: 'Boot' }, { memberId: ben.id }],
  })
  await client.delete(`/members/${ann.id}?revokesKeys=false`)

  const after = await client.get('/owner-rules')
  const { rules } = after.json<{ rules: { vacancy: string | null }[] }>()
  expect(rules.map(({ vacancy }) => vacancy)).toEqual([
    expect.stringContaining('left the workspace'),
    'No member of the team Boot is left, so the rule gives nothing.',
    null,
  ])
  expect(namesOf(await listRows(client))).toEqual([ben.email, ben.email])
})

it('refuses a rule for a member of another workspace', async () => {
  const [{ client }, other] = [await givenWorkspace(), await givenWorkspace()]

  const response = await client.put('/owner-rules', {
    teams: [],
    rules: [{ memberId: other.ann.id }],
  })

  expect([response.statusCode, response.body]).toEqual([
    400,
    expect.stringContaining('No member of the workspace has this id.'),
  ])
  expect((await client.get('/owner-rules')).json()).toMatchObject({ rules: [] })
})

it('previews and counts as the list does, and changes nothing', async () => {
  const { client, boot, ann } = await givenWorkspace()
  const command = { teams: [], rules: [{ components: [boot.product], memberId: ann.id }] }

  const preview = await client.post('/owner-rules/preview', command)
  expect(preview.json()).toEqual({
    owners: [
      { owner: { type: 'Member', id: ann.id, name: ann.email }, now: 0, after: 1 },
      { owner: null, now: 2, after: 1 },
    ],
  })
  expect((await client.get('/owner-rules')).json()).toMatchObject({ rules: [] })
  await rulesOf(client, command)
  const { owners } = (await client.get('/owners')).json<{ owners: { activeCount: number }[] }>()
  expect(owners.map(({ activeCount }) => activeCount)).toEqual([1, 1])
})

it('writes the owner into CSV files and SARIF as lists show it, also of what is assigned or nobody’s', async () => {
  const { client, boot, net, ann, ben, one } = await givenWorkspace()
  await rulesOf(client, {
    teams: [{ name: 'Boot, loader', memberIds: [ben.id] }],
    rules: [{ components: [boot.product], team: 'Boot, loader' }],
  })
  const version = `/firmware-versions/${one.firmwareVersionId}/vulnerability-findings`
  const cellsOf = (body: string, name: string) => {
    const [header = '', ...lines] = body.trimEnd().split('\r\n')
    const place = header.split(',').indexOf(name)
    const cells = lines.map((line) => line.match(/("[^"]*"|[^,]*)(,|$)/g)?.[place])
    return cells.map((cell = '') => cell.replaceAll(/^"|"?,?$/g, '')).toSorted()
  }
  const read = async () => ({
    file: cellsOf((await client.get(`${version}/export?format=csv`)).body, 'owner'),
    list: cellsOf((await client.post(`${version}/export`, {})).body, 'owners'),
    all: cellsOf((await client.post('/vulnerability-findings/export', {})).body, 'owners'),
    byId: cellsOf((await client.post('/vulnerabilities/export', {})).body, 'owners'),
    sarif: (await client.get(`${version}/export?format=sarif`))
      .json<{ runs: { results: { properties: { owner?: string } }[] }[] }>()
      .runs[0]?.results.map(({ properties }) => properties.owner ?? '')
      .toSorted(),
  })

  const before = await read()
  await client.put(`/vulnerabilities/${net.cveIds[0]}/assignee`, { subjectId: ann.id })
  const after = await read()

  for (const found of Object.values(before)) expect(found).toEqual(['', 'Boot, loader'])
  for (const found of Object.values(after))
    expect(found).toEqual(['Boot, loader', ann.email].toSorted())
})

it.each([
  [
    'a rule for a member of another workspace',
    { rules: [{ memberId: '0198c0de-0000-7000-8000-000000000001' }] },
    '/rules/0/memberId',
  ],
  ['a rule for nobody', { rules: [{ components: ['a'] }] }, '/rules/0'],
  ['an empty pattern', { rules: [{ components: [''], team: 'x' }] }, '/rules/0/components/0'],
  ['a blank pattern', { rules: [{ components: [' '], team: 'x' }] }, '/rules/0/components/0'],
  [
    '10,000 characters',
    { rules: [{ purls: ['a'.repeat(10_000)], team: 'x' }] },
    '/rules/0/purls/0',
  ],
  ['many stars', { rules: [{ files: ['*a*a*a*a*a*a'], team: 'x' }] }, '/rules/0/files/0'],
  [
    'a team without members',
    { teams: [{ name: 'x', memberIds: [] }], rules: [] },
    '/teams/0/memberIds',
  ],
  ['an unknown team', { rules: [{ team: 'x' }] }, '/rules/0/team'],
  [
    'an unknown firmware',
    { rules: [{ firmwareIds: ['0198c0de-0000-7000-8000-000000000001'], team: 'x' }] },
    '/rules/0/firmwareIds/0',
  ],
])('refuses %s and says where', async (_, command, pointer) => {
  const client = await givenClient(test)

  const response = await client.put('/owner-rules', { teams: [], ...command })

  expect(response.statusCode).toBe(400)
  expect(
    response.json<{ errors: { pointer: string }[] }>().errors.map((one) => one.pointer),
  ).toContain(pointer)
})

/** As the guide tells it: * is any text, all else stands for itself. */
function fitsNaively(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  if (pattern.startsWith('*'))
    return (
      fitsNaively(pattern.slice(1), text) || (text !== '' && fitsNaively(pattern, text.slice(1)))
    )
  return text.startsWith(pattern.charAt(0)) && fitsNaively(pattern.slice(1), text.slice(1))
}

it('agrees with a plain model of the first rule that wins, for all lists and filters', async () => {
  const world = await givenWorkspace()
  const { client, boot, net, ann, ben, one, other } = world
  const held = [
    { version: one, firmwareId: world.oneFirmwareId, products: [boot, net] },
    { version: other, firmwareId: world.otherFirmwareId, products: [net] },
  ]
  const pattern = fc.constantFrom(
    boot.product,
    net.product,
    '*',
    'product-*',
    `*${net.product.slice(-4)}`,
    '%',
    'product_*',
  )
  const rule = fc.record({
    components: fc.array(pattern, { maxLength: 2 }),
    firmwareIds: fc.subarray([world.oneFirmwareId, world.otherFirmwareId]),
    memberId: fc.constantFrom(ann.id, ben.id),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { maxLength: 4 }), async (rules) => {
      await rulesOf(client, { rules })
      const ownerOf = (product: string, firmwareId: string) =>
        rules.find(
          ({ components, firmwareIds }) =>
            (components.length === 0 || components.some((text) => fitsNaively(text, product))) &&
            (firmwareIds.length === 0 || firmwareIds.includes(firmwareId)),
        )?.memberId ?? 'none'
      const findings = held.flatMap(({ version, firmwareId, products }) =>
        products.map(({ product, cveIds }) => ({
          versionId: version.firmwareVersionId,
          cveId: cveIds[0] ?? '',
          owner: ownerOf(product, firmwareId),
        })),
      )
      for (const owner of [ann.id, ben.id, 'none']) {
        const owned = findings.filter((finding) => finding.owner === owner)
        const expected = [...new Set(owned.map(({ cveId }) => cveId))].toSorted()
        for (const filter of [{}, { activeOnly: true }])
          for (const path of ['/vulnerability-findings/list', '/vulnerabilities/list']) {
            const rows = await listRows(client, { ...filter, owners: [owner] }, path)
            expect(rows.map(({ cveId }) => cveId).toSorted()).toEqual(expected)
          }
        for (const { version } of held) {
          const path = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`
          const rows = await listRows(client, { owners: [owner] }, path)
          expect(rows.map(({ cveId }) => cveId).toSorted()).toEqual(
            owned
              .filter(({ versionId }) => versionId === version.firmwareVersionId)
              .map(({ cveId }) => cveId)
              .toSorted(),
          )
        }
      }
    }),
    { numRuns: 15 },
  )
})
