/** A service that answers a component's requests as a test says, and keeps what was sent. */
import { onTestFinished, vi } from 'vitest'

export interface SentRequest {
  /** `DELETE /workspaces/one/devices/pump-1`. */
  call: string
  body: unknown
}

/** `answers`: by method and path. Anybody who asks for something else gets 404. The workspace is `one`, with all scopes given. */
export function givenService(
  answers: Readonly<Record<string, unknown>>,
  { scopes = ['Devices: read', 'Devices: write'] }: { scopes?: readonly string[] } = {},
): { sent: SentRequest[] } {
  const sent: SentRequest[] = []
  const known: Readonly<Record<string, unknown>> = {
    'GET /me/workspaces': [{ id: 'one', name: 'One', role: 'Admin', scopes }],
    ...answers,
  }
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    const call = `${request.method} ${new URL(request.url).pathname}`
    const text = await request.text()
    if (request.method !== 'GET')
      sent.push({ call, body: text === '' ? undefined : JSON.parse(text) })
    const answer = known[call]
    return answer === undefined
      ? Response.json({ title: 'Not Found', status: 404, detail: call }, { status: 404 })
      : Response.json(answer, { headers: { etag: '"1"' } })
  })
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  return { sent }
}
