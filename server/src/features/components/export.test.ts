import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { givenSbom } from '../../../test/given-inventory.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../test/given.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

async function givenComponents(components: Parameters<typeof givenSbom>[1]['components']) {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const { workspaceId } = client
  const fileName = 'bö"m\r\n.json'
  return givenSbom(test.ctx, { workspaceId, firmwareVersionId, components, fileName })
}

describe('components as CSV', () => {
  it('are a record each, in document order, and nothing a spreadsheet would run', async () => {
    const sbomId = await givenComponents([
      { packageName: '=cmd|"/c calc"!A1', vendor: '@x', version: '-1' },
      {
        packageName: 'busybox',
        version: '1.36.1',
        cpes: ['cpe:2.3:a:busybox:busybox:1.36.1:*:*:*:*:*:*:*', 'cpe:/a:b'],
      },
      { packageName: '<script>,\n', purl: 'pkg:generic/x' },
    ])

    const answer = await client.get(`/sboms/${sbomId}/components/export`)

    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="b__m__.json-components.csv"; filename*=UTF-8''b%C3%B6%22m%0D%0A.json-components.csv`,
    )
    const text = answer.body.replaceAll(/^[0-9a-f-]{36},/gm, 'ID,')
    expect(text).toBe(
      [
        'id,packageName,version,vendor,purl,cpes,licenses,supplier,downloadLocation,scope,notMatchedReason',
        `ID,"'=cmd|""/c calc""!A1",'-1,'@x,,,,,,,`,
        'ID,busybox,1.36.1,,,"cpe:2.3:a:busybox:busybox:1.36.1:*:*:*:*:*:*:*; cpe:/a:b",,,,,',
        'ID,"<script>,\n",,,pkg:generic/x,,,,,,',
        '',
      ].join('\r\n'),
    )
  })

  it('are all there, however many', async () => {
    const sbomId = await givenComponents(
      Array.from({ length: 4_001 }, (_, index) => ({ packageName: `c${index}` })),
    )

    const { body } = await client.get(`/sboms/${sbomId}/components/export`)
    const lines = body.trimEnd().split('\r\n')

    expect(lines).toHaveLength(4_002)
    expect(lines.at(-1)).toContain(',c4000,')
  })

  it('are refused to other workspaces and scopes', async () => {
    const sbomId = await givenComponents([{ packageName: 'a' }])
    const stranger = await givenClient(test)
    const key = await test.givenKey(client.workspaceId, ['Vulnerabilities: read'])
    const unscoped = await test.app.inject({
      url: `/workspaces/${client.workspaceId}/sboms/${sbomId}/components/export`,
      headers: { authorization: `Bearer ${key}` },
    })

    expect((await stranger.get(`/sboms/${sbomId}/components/export`)).statusCode).toBe(404)
    expect(unscoped.statusCode).toBe(403)
  })
})
