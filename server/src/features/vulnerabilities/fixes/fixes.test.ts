/** In which versions findings are fixed, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenMatchedSbom,
  givenProduct,
  givenVersion,
} from '../../../../test/given-findings.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface Fixes {
  laterVersionCount: number
  fixes: { findingId: string; fixedVersions: string[]; fixedIn: { name: string } | null }[]
}

interface Finding {
  id: string
}

const listFindings = async (client: Client, versionId: string) => {
  const listed = await client.post(
    `/firmware-versions/${versionId}/vulnerability-findings/list`,
    {},
  )
  return listed.json<{ findings: Finding[] }>().findings.map(({ id }) => id)
}
const readFixes = async (client: Client, versionId: string, findingIds: string[]) => {
  const path = `/firmware-versions/${versionId}/vulnerability-findings/fixes`
  const response = await client.post(path, { findingIds })
  return { status: response.statusCode, ...response.json<Fixes>() }
}

/** A firmware whose versions hold the product in these versions; `undefined`: a version without an SBOM. */
async function given(...versions: (string | undefined)[]) {
  const client = await givenClient(test)
  const { workspaceId } = client
  const { product } = await givenProduct(test.ctx, ['High'])
  const holding = (version: string) => ({
    packageName: product,
    version,
    cpes: [cpeOf(product, version)],
  })
  const [first = '1.0', ...later] = versions
  const { firmwareVersionId } = await givenVersion(test.ctx, workspaceId, [holding(first)])
  const { firmware } = (await client.get(`/firmware-versions/${firmwareVersionId}`)).json<{
    firmware: { id: string }
  }>()
  const ids = [firmwareVersionId]
  for (const [place, held] of later.entries()) {
    const made = await client.post(`/firmwares/${firmware.id}/versions`, { name: `r${place + 2}` })
    const { id } = made.json<{ id: string }>()
    ids.push(id)
    if (held !== undefined)
      await givenMatchedSbom(test.ctx, { workspaceId, firmwareVersionId: id }, [holding(held)])
  }
  return { client, ids }
}

it.each`
  held                            | fixedIn      | looked | because
  ${['1.0', '1.5', '2.0', '2.1']} | ${'r3'}      | ${3}   | ${'it is the first without'}
  ${['1.0', '2.0', '1.5', '2.1']} | ${'r4'}      | ${3}   | ${'it came back in between'}
  ${['1.0', '2.0', '1.5']}        | ${undefined} | ${2}   | ${'the newest has it again'}
  ${['1.0', undefined, '2.0']}    | ${'r3'}      | ${1}   | ${'nobody knows what a version without SBOM holds'}
  ${['1.0', undefined]}           | ${undefined} | ${0}   | ${'no later version was read'}
  ${['1.0']}                      | ${undefined} | ${0}   | ${'it is the newest'}
`(
  'names $fixedIn of versions that hold $held, as $because',
  async ({ held, fixedIn, looked }: { held: string[]; fixedIn?: string; looked: number }) => {
    const { client, ids } = await given(...held)
    const [versionId = ''] = ids

    const answer = await readFixes(client, versionId, await listFindings(client, versionId))

    expect(answer.laterVersionCount).toBe(looked)
    expect(answer.fixes).toMatchObject([
      { fixedVersions: ['2.0'], fixedIn: fixedIn === undefined ? null : { name: fixedIn } },
    ])
  },
)

it('names the first version of the same release line', async () => {
  const { client, ids } = await given('1.0', '2.0', '1.5', '2.1')
  const [first = '', ...later] = ids
  const { firmware } = (await client.get(`/firmware-versions/${first}`)).json<{
    firmware: { id: string }
  }>()
  const lines = [{ name: 'odd' }, { name: 'even' }]
  const put = await client.put(`/firmwares/${firmware.id}/lines`, { lines })
  const [odd, even] = put.json<{ lines: { id: string }[] }>().lines
  const places = [odd, even, odd, odd]
  for (const [place, id] of ids.entries())
    await client.patch(`/firmware-versions/${id}`, { statedLineId: places[place]?.id })

  const answer = await readFixes(client, first, await listFindings(client, first))

  expect(later).toHaveLength(3)
  expect(answer).toMatchObject({ laterVersionCount: 2, fixes: [{ fixedIn: { name: 'r4' } }] })
})

it('tells nothing of findings of other versions and workspaces, nor of what is no finding', async () => {
  const { client, ids } = await given('1.0', '1.5')
  const [first = '', second = ''] = ids
  const findings = await listFindings(client, first)
  const other = await given('1.0')
  const stranger = await givenClient(test)

  const mixed = await readFixes(client, second, [
    ...findings,
    ...(await listFindings(other.client, other.ids[0] ?? '')),
    'no-finding',
  ])

  expect(mixed).toMatchObject({ status: 200, fixes: [] })
  expect((await readFixes(stranger, first, findings)).status).toBe(404)
  expect((await readFixes(client, first, [])).status).toBe(400)
})
