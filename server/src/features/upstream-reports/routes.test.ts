/** What was reported to makers of components, recorded at a finding. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp
let client: Client
let findingId: string
let cveId: string

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  const { cpes } = await givenProduct(test.ctx, ['High'])
  const component = { packageName: 'busybox', version: '1.36', cpes }
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [component])
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const [finding] = (await client.post(path, {})).json<{
    findings: { id: string; cveId: string }[]
  }>().findings
  findingId = finding?.id ?? ''
  cveId = finding?.cveId ?? ''
})

const SAID = {
  reportedAt: '2026-01-02T03:04:05.000Z',
  recipient: 'security@upstream.example',
  text: 'It reads <b>too far</b>.',
}
const create = (body: object, id = findingId) =>
  client.post(`/vulnerability-findings/${id}/upstream-reports`, body)

it('is recorded at a finding, listed by its vulnerability, changed and deleted', async () => {
  const made = await create(SAID)
  const { id } = made.json<{ id: string }>()
  const patched = await client.patch(`/upstream-reports/${id}`, { fix: 'A patch of 3 lines' })
  const listed = await client.get(`/upstream-reports?cveId=${cveId}`)
  const other = await client.get('/upstream-reports?cveId=CVE-1999-0001')
  const gone = await client.delete(`/upstream-reports/${id}`)

  expect(made.statusCode).toBe(201)
  expect(made.json()).toMatchObject({
    ...SAID,
    fix: null,
    cveId,
    findingId,
    componentName: 'busybox',
  })
  expect(patched.json()).toMatchObject({ ...SAID, fix: 'A patch of 3 lines' })
  expect(listed.json()).toMatchObject({ upstreamReports: [{ id }], hasMore: false })
  expect(other.json()).toEqual({ upstreamReports: [], hasMore: false })
  expect(gone.statusCode).toBe(204)
  expect((await client.get('/upstream-reports')).json()).toMatchObject({ upstreamReports: [] })
})

it.each`
  body                                      | status | because
  ${{ reportedAt: '2999-01-01T00:00:00Z' }} | ${400} | ${'nobody has reported in the future'}
  ${{ recipient: 'a\nb' }}                  | ${400} | ${'a recipient is one line'}
  ${{ text: ' ' }}                          | ${400} | ${'it says something'}
`('refuses $body: $because', async ({ body, status }) => {
  expect((await create({ ...SAID, ...(body as object) })).statusCode).toBe(status)
})

it('knows no finding of another workspace, and shows it no report', async () => {
  const other = await givenClient(test)
  const { id } = (await create(SAID)).json<{ id: string }>()

  const foreign = await other.post(`/vulnerability-findings/${findingId}/upstream-reports`, SAID)

  expect(foreign.statusCode).toBe(404)
  expect((await create(SAID, 'nothing')).statusCode).toBe(404)
  expect((await other.get(`/upstream-reports/${id}`)).statusCode).toBe(404)
  expect((await other.delete(`/upstream-reports/${id}`)).statusCode).toBe(404)
  expect((await other.get('/upstream-reports')).json()).toMatchObject({ upstreamReports: [] })
})
