/** A failure that the caller can act on. Every other thrown error is a bug. */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  /** It existed, and will not exist again. */
  | 'gone'
  | 'conflict'
  | 'preconditionFailed'
  | 'tooLarge'
  | 'unsupportedMediaType'
  | 'rangeNotSatisfiable'
  | 'rateLimited'
  | 'unavailable'
  /** A bug: it stands for any other thrown error and is not thrown itself. */
  | 'internal'

export interface FieldError {
  /** JSON pointer into the body, or `/query/…`, `/params/…`. */
  pointer: string
  detail: string
}

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly kind: ErrorKind
  /** The slug of its problem type: `/problems/<code>`. */
  readonly code: string
  readonly errors: readonly FieldError[] | undefined
  /** The header Retry-After of the answer. */
  retryAfterSeconds: number | undefined

  constructor(kind: ErrorKind, code: string, detail: string, errors?: readonly FieldError[]) {
    super(detail)
    this.kind = kind
    this.code = code
    this.errors = errors
  }
}

/** What happened and what to do, by the slug of a problem type. */
export type ProblemPages = Readonly<Record<string, { title: string; advice: string }>>

export function notFound(what: string, id: string): AppError {
  const slug = what.replaceAll(' ', '-').toLowerCase()
  return new AppError(
    'notFound',
    `${slug}-not-found`,
    `No ${what} has the id ${JSON.stringify(id)}.`,
  )
}

/** All connections or turns are taken. */
export function busy(): AppError {
  return new AppError(
    'unavailable',
    'busy',
    'The service has more to do than it can at once; nothing was written. Try again in a few seconds.',
  )
}

export function invalid(detail: string, pointer?: string): AppError {
  return new AppError(
    'invalid',
    'invalid-request',
    detail,
    pointer === undefined ? undefined : [{ pointer, detail }],
  )
}

const MOST_FAULTS = 20

/** Refuses a request some of whose names are wrong, with what `said` says of them. */
export function refuseFaults(faults: readonly FieldError[], said: string): void {
  if (faults.length === 0) return
  const detail = `${faults.length} of the ${said}; nothing was changed.`
  throw new AppError('invalid', 'invalid-request', detail, faults.slice(0, MOST_FAULTS))
}

/** The `code` of an error of Node or PostgreSQL; empty where it has none. */
export function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
