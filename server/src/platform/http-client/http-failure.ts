/** Why a request failed, in words that help an operator. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    text: string,
    options: {
      isTransient?: boolean
      status?: number
      retryAfterMs?: number | undefined
      cause?: unknown
    } = {},
  ) {
    super(text, { cause: options.cause })
    this.isTransient = options.isTransient ?? false
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
  }
}
