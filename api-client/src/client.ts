/** A fetch that knows the paths, parameters, bodies and answers of the service from its OpenAPI description. */
import { readElements } from './elements.ts'
import type {
  Answer,
  ElementOf,
  Input,
  Method,
  OperationAt,
  PathOf,
  ReceivedAnswer,
  StillInput,
} from './operations.ts'
import { readFailure, UnexpectedAnswer } from './problem.ts'

export interface ApiClientOptions {
  /** Where the service answers; it may end in a path when a proxy puts it there. */
  baseUrl: string
  /** Left out in a browser, whose cookie names a session. */
  apiKey?: string
  /** For retries or tests. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  input: Input<OperationAt<P, M>>,
) => Promise<ReceivedAnswer<OperationAt<P, M>>>

/** Each call throws `ApiProblem` or `UnexpectedAnswer` when the service does not do what was asked. */
export interface ApiClient {
  get: Call<'get'>
  post: Call<'post'>
  put: Call<'put'>
  patch: Call<'patch'>
  delete: Call<'delete'>
  /** Whether this very object is an answer that can be `ifStill`. */
  hasEntityTag: (answer: unknown) => boolean
  /** Of an answer that is one long list: its elements one by one, as they arrive. */
  elements: <P extends PathOf<'get'>>(
    path: P,
    input: Input<OperationAt<P, 'get'>>,
  ) => AsyncGenerator<ElementOf<Answer<OperationAt<P, 'get'>>>>
}

type Guarded<M extends Method> = <P extends PathOf<M>>(
  path: P,
  input: Input<OperationAt<P, M>> & StillInput<OperationAt<P, M>>,
) => Promise<ReceivedAnswer<OperationAt<P, M>>>

/** For programs: it cannot write over what somebody else has changed since it was read. */
export interface GuardedClient extends Omit<ApiClient, 'put' | 'patch'> {
  put: Guarded<'put'>
  patch: Guarded<'patch'>
}

interface AnyInput {
  params?: object | undefined
  query?: object | undefined
  body?: unknown
  ifStill?: object
}

const NO_TAG =
  'Nothing was sent: what is to be changed was read without an entity tag, so the change could overwrite unseen what somebody else wrote. Read it at its own address, not in a list, and pass that answer itself, not a copy. If that is what happened, a proxy removes the header ETag.'

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { apiKey, fetch = globalThis.fetch } = options
  /** Of what was read, its entity tag. */
  const tags = new WeakMap<object, string>()
  const ask = async (method: Method, path: string, input: AnyInput): Promise<Response> => {
    const { body, ifStill } = input
    const tag = ifStill && tags.get(ifStill)
    if (ifStill && tag === undefined) throw new Error(NO_TAG)
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(tag !== undefined && { 'if-match': tag }),
    }
    const init: RequestInit = { method: method.toUpperCase(), headers }
    if (body !== undefined) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(body)
    }
    return checked(await fetch(buildUrl(options.baseUrl, path, input), init))
  }
  const call = async (method: Method, path: string, input: AnyInput): Promise<unknown> => {
    const response = await ask(method, path, input)
    if (isEmpty(response)) return undefined
    const answer: unknown = await response.json()
    const tag = response.headers.get('etag')
    if (tag !== null && typeof answer === 'object' && answer !== null) tags.set(answer, tag)
    return answer
  }
  async function* elements(path: string, input: AnyInput) {
    const { body } = await ask('get', path, input)
    if (!body) return
    for await (const element of readElements(body.pipeThrough(new TextDecoderStream())))
      yield JSON.parse(element) as unknown
  }
  // The service checks its answers against the description these types come from.
  return {
    get: (path, input) => call('get', path, input) as never,
    post: (path, input) => call('post', path, input) as never,
    put: (path, input) => call('put', path, input) as never,
    patch: (path, input) => call('patch', path, input) as never,
    delete: (path, input) => call('delete', path, input) as never,
    hasEntityTag: (answer) => typeof answer === 'object' && answer !== null && tags.has(answer),
    elements: (path, input) => elements(path, input) as never,
  }
}

async function checked(response: Response): Promise<Response> {
  if (!response.ok) throw await readFailure(response)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  if (isEmpty(response) || isJson) return response
  await response.body?.cancel()
  throw new UnexpectedAnswer(response)
}

function isEmpty({ status, headers }: Response): boolean {
  return status === 204 || headers.get('content-length') === '0'
}

function buildUrl(baseUrl: string, path: string, { params, query }: AnyInput): string {
  const values = new Map<string, unknown>(Object.entries(params ?? {}))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values.get(name))),
  )
  const url = new URL(baseUrl.replace(/\/+$/, '') + filled)
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return url.href
}
