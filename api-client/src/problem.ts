/** What the service answers when it does not do what was asked: problem details (RFC 9457). */

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  errors: readonly { pointer: string; detail: string }[]
}

export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** An answer that is not from the service: the page of a proxy, or another program at that address. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly status: number
  /** What stands between client and service, as it names itself: nginx/1.29.1. */
  readonly server: string | undefined

  constructor({ status, url, headers }: Response) {
    const type = headers.get('content-type') ?? 'no content type'
    const server = headers.get('server') ?? undefined
    const who = server === undefined ? '' : ` by ${server}`
    super(
      `${url} was answered${who} with status ${status} and ${type}, which is not an answer of Plimsoll.`,
    )
    this.status = status
    this.server = server
  }
}

/** The error that stands for a response which is not ok. */
export async function readFailure(response: Response): Promise<ApiProblem | UnexpectedAnswer> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
  const body: unknown = isProblem ? await response.json().catch(() => undefined) : undefined
  // The rest is not read, so that the connection is free for the next request.
  if (!isProblem) await response.body?.cancel()
  const problem = asProblem(body)
  return problem ? new ApiProblem(problem) : new UnexpectedAnswer(response)
}

function asProblem(body: unknown): Problem | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { type, title, status, detail, errors } = body as Record<keyof Problem, unknown>
  if (typeof type !== 'string' || typeof title !== 'string' || typeof status !== 'number')
    return undefined
  return {
    type,
    title,
    status,
    detail: typeof detail === 'string' ? detail : title,
    errors: Array.isArray(errors) ? errors.filter(isFieldError) : [],
  }
}

function isFieldError(value: unknown): value is { pointer: string; detail: string } {
  if (typeof value !== 'object' || value === null) return false
  const { pointer, detail } = value as Record<string, unknown>
  return typeof pointer === 'string' && typeof detail === 'string'
}
