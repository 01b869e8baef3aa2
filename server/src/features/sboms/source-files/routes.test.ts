import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  parsedSboms,
  upload,
} from '../../../../test/given.ts'

let test: TestApp
let client: Client
let sbomId: string
let components: { id: string; packageName: string }[]

const document = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [
    {
      type: 'library',
      name: 'wolfssl',
      version: '5.6.0',
      cpe: 'cpe:2.3:a:wolfssl:wolfssl:5.6.0:*:*:*:*:*:*:*',
      components: [
        { type: 'file', name: 'src/tls.c' },
        { type: 'file', name: 'wolfcrypt/src/aes.c' },
      ],
    },
    { type: 'library', name: 'zlib', version: '1.3', purl: 'pkg:generic/zlib@1.3' },
    { type: 'library', name: 'nameless' },
  ],
}

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  client = await givenClient(test)
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = [{ name: 'bom.json', bytes: JSON.stringify(document) }]
  await upload(test, client, { firmwareVersionId, files })
  const [sbom] = await parsedSboms(client, firmwareVersionId)
  sbomId = sbom?.id ?? ''
  const list = await client.post(`/sboms/${sbomId}/components/list`, {})
  components = list.json<{ components: typeof components }>().components
})

const idOf = (name: string) => components.find(({ packageName }) => packageName === name)?.id ?? ''
const pathOf = (name: string) => `/sboms/${sbomId}/components/${idOf(name)}/source-files`

function put(path: string, payload: string | Buffer, headers: object = {}) {
  return test.app.inject({
    method: 'PUT',
    url: `/workspaces/${client.workspaceId}${path}`,
    headers: {
      authorization: `Bearer ${client.apiKey}`,
      'content-type': 'text/plain',
      ...headers,
    },
    payload,
  })
}

describe('the source files of a component', () => {
  it('are those its SBOM lists, until others are uploaded, and again when those are deleted', async () => {
    const before = await client.get(pathOf('wolfssl'))
    const replaced = await put(pathOf('wolfssl'), 'src/internal.c\nwolfssl/internal.h\n')
    const between = await client.get(pathOf('wolfssl'))
    const again = await put(pathOf('wolfssl'), 'src/ssl.c\n')
    const later = await client.get(pathOf('wolfssl'))
    const deleted = await client.delete(pathOf('wolfssl'))
    const after = await client.get(pathOf('wolfssl'))

    expect(before.statusCode).toBe(200)
    expect(before.body).toBe('src/tls.c\nwolfcrypt/src/aes.c\n')
    expect(replaced.json()).toMatchObject({
      componentId: idOf('wolfssl'),
      fileCount: 1,
      ignoredCount: 1,
    })
    expect([between.body, later.body]).toEqual(['src/internal.c\n', 'src/ssl.c\n'])
    expect(again.statusCode).toBe(200)
    expect([deleted.statusCode, after.body]).toEqual([204, before.body])
  })

  it('are none where nobody lists any', async () => {
    const none = await client.get(pathOf('zlib'))
    const deleted = await client.delete(pathOf('zlib'))

    expect([none.statusCode, deleted.statusCode]).toEqual([404, 404])
    expect(none.json()).toMatchObject({
      type: expect.stringMatching('source-files-not-found') as string,
    })
  })

  it('are refused for a component nothing is looked up for', async () => {
    const refused = await put(pathOf('nameless'), 'a.c')

    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({
      type: expect.stringMatching('component-not-matched') as string,
    })
  })

  it('are refused as a whole where one line is doubtful, and the list before stays', async () => {
    await put(pathOf('zlib'), 'inflate.c\n')

    const refused = await put(pathOf('zlib'), 'deflate.c\ninflate.o\n')
    const tooLarge = await put(pathOf('zlib'), Buffer.alloc(17 * 1024 * 1024, 'a.c\n'))
    const kept = await client.get(pathOf('zlib'))

    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({
      detail: expect.stringMatching('^Line 2 names an object') as string,
    })
    expect(tooLarge.statusCode).toBe(413)
    expect(kept.body).toBe('inflate.c\n')
  })

  it('are of one component, one SBOM and one workspace', async () => {
    const stranger = await givenClient(test)
    const foreign = await stranger.get(pathOf('wolfssl'))
    const foreignPut = await test.app.inject({
      method: 'PUT',
      url: `/workspaces/${stranger.workspaceId}${pathOf('wolfssl')}`,
      headers: { authorization: `Bearer ${stranger.apiKey}`, 'content-type': 'text/plain' },
      payload: 'a.c',
    })
    const unknown = await client.get(`/sboms/${sbomId}/components/nobody/source-files`)

    expect([foreign.statusCode, foreignPut.statusCode, unknown.statusCode]).toEqual([404, 404, 404])
    expect(unknown.json()).toMatchObject({
      type: expect.stringMatching('component-not-found') as string,
    })
  })

  it('need the scopes of SBOMs, and leave their trace in the audit log', async () => {
    const reader = await test.givenKey(client.workspaceId, ['SBOMs: read'])
    const refused = await put(pathOf('zlib'), 'a.c', { authorization: `Bearer ${reader}` })
    await put(pathOf('zlib'), 'adler32.c\n')
    const audit = await client.get('/audit-log?limit=1')

    expect(refused.statusCode).toBe(403)
    expect(audit.json()).toMatchObject({
      entries: [{ action: 'sbom.source-files.replace', resourceId: sbomId }],
    })
  })
})
