/** Requests to a release: of a workspace's key, of a person, of devices. */

interface Request {
  method?: string
  /** `{ws}` stands for the path of the workspace. */
  path: string
  body?: object | string
  headers?: Record<string, string>
}

export interface Reply {
  status: number
  type: string
  text: string
}

/** Who asks: what its requests carry. */
export interface Caller {
  url: string
  workspaceId: string
  headers: Record<string, string>
}

const isJson = (body: object | string | undefined): body is object =>
  body !== undefined && typeof body !== 'string'

export async function ask(caller: Caller, request: Request): Promise<Reply & { cookie: string }> {
  const { path, body, method = body === undefined ? 'GET' : 'POST', headers } = request
  const type = isJson(body) ? 'application/json' : 'application/octet-stream'
  const response = await fetch(
    `${caller.url}${path.replace('{ws}', `/workspaces/${caller.workspaceId}`)}`,
    {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': type }),
        ...caller.headers,
        ...headers,
      },
      ...(body !== undefined && { body: isJson(body) ? JSON.stringify(body) : body }),
    },
  )
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
    cookie: response.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; '),
  }
}

/** The answer, which has to be a good one. */
export async function made<Made = { id: string }>(
  caller: Caller,
  path: string,
  body?: object | string,
  more: Pick<Request, 'method' | 'headers'> = {},
): Promise<Made> {
  const { status, text } = await ask(caller, { path, ...(body !== undefined && { body }), ...more })
  if (status >= 300) throw new Error(`${more.method ?? ''} ${path}: ${status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Made
}

export const keyCaller = (
  url: string,
  { workspaceId, key }: { workspaceId: string; key: string },
): Caller => ({ url, workspaceId, headers: { authorization: `Bearer ${key}` } })

/** Browsers say that a page of the service asks. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

export const visitor = (url: string, workspaceId: string): Caller => ({
  url,
  workspaceId,
  headers: { ...OWN_PAGE },
})

/** Signs a person in. */
export async function signIn(
  caller: Caller,
  { email, password }: { email: string; password: string },
): Promise<Caller> {
  const body = { email, password }
  const { status, text, cookie } = await ask(caller, { path: '/auth/sign-in', body })
  if (status >= 300) throw new Error(`Signing in ${email}: ${status} ${text}`)
  return { ...caller, headers: { ...OWN_PAGE, cookie } }
}
