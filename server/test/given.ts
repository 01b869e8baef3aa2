/** Builders of test data through the API, as a client would. */
import { setTimeout as delay } from 'node:timers/promises'
import type { TestApp, TestWorkspace } from './app.ts'

export interface Client extends TestWorkspace {
  get: (path: string) => ReturnType<typeof send>
  post: (path: string, payload?: object) => ReturnType<typeof send>
  put: (path: string, payload?: object | string) => ReturnType<typeof send>
  patch: (path: string, payload?: object) => ReturnType<typeof send>
  delete: (path: string) => ReturnType<typeof send>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface SentRequest {
  method: Method
  path: string
  payload?: object | string | undefined
}

function send(
  { app }: TestApp,
  { workspaceId, apiKey }: TestWorkspace,
  { method, path, payload }: SentRequest,
) {
  const type = payload === undefined ? {} : { 'content-type': 'application/json' }
  return app.inject({
    method,
    url: `/workspaces/${workspaceId}${path}`,
    headers: { authorization: `Bearer ${apiKey}`, ...type },
    ...(payload === undefined ? {} : { payload }),
  })
}

/** Requests of one workspace's key. */
export async function givenClient(test: TestApp): Promise<Client> {
  const workspace = await test.givenWorkspace()
  const call = (method: Method) => (path: string, payload?: object | string) =>
    send(test, workspace, { method, path, payload })
  return {
    ...workspace,
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  }
}

export async function givenFirmwareVersion(client: Client): Promise<string> {
  const slug = `fw-${crypto.randomUUID()}`
  const firmware = (await client.post('/firmwares', { slug, name: slug })).json<{ id: string }>()
  const version = await client.post(`/firmwares/${firmware.id}/versions`, { name: '1.0.0' })
  return version.json<{ id: string }>().id
}

export interface Upload {
  firmwareVersionId: string
  /** Several files are sent as multipart, one as the raw body. */
  files: { name: string; bytes: Uint8Array | string }[]
  headers?: Record<string, string>
}

const BOUNDARY = 'plimsoll-test-boundary'

export function multipart(files: Upload['files']): Buffer {
  const parts = files.flatMap(({ name, bytes }) => [
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    ),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`

export function upload({ app }: TestApp, { workspaceId, apiKey }: TestWorkspace, input: Upload) {
  const { firmwareVersionId, files, headers = {} } = input
  const [only] = files
  const raw = files.length === 1 && only ? only : undefined
  const query = raw ? `?fileName=${encodeURIComponent(raw.name)}` : ''
  return app.inject({
    method: 'POST',
    url: `/workspaces/${workspaceId}/firmware-versions/${firmwareVersionId}/sboms${query}`,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': raw ? 'application/octet-stream' : MULTIPART,
      ...headers,
    },
    payload: raw ? Buffer.from(raw.bytes) : multipart(files),
  })
}

export interface ListedSbom {
  id: string
  fileName: string
  format: string | null
  parsingState: string
  parsingError: string | null
  warnings: string[]
  componentCount: number
  vulnerabilitiesParsedAt: string | null
}

/** Each look asks the API: to look more often would slow down what it waits for. */
const POLL_MS = 100

/** Waits until no SBOM of the version is being parsed, and lists them. */
export async function parsedSboms(
  client: Client,
  firmwareVersionId: string,
): Promise<ListedSbom[]> {
  for (;;) {
    const response = await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)
    const { sboms } = response.json<{ sboms: ListedSbom[] }>()
    if (sboms.every(({ parsingState }) => parsingState !== 'InProgress')) return sboms
    await delay(POLL_MS)
  }
}

/** Waits until all parsed SBOMs of the version are matched, and lists them. */
export async function matchedSboms(
  client: Client,
  firmwareVersionId: string,
): Promise<ListedSbom[]> {
  for (;;) {
    const sboms = await parsedSboms(client, firmwareVersionId)
    const open = sboms.filter(
      (sbom) => sbom.parsingState === 'Succeeded' && !sbom.vulnerabilitiesParsedAt,
    )
    if (open.length === 0) return sboms
    await delay(POLL_MS)
  }
}
