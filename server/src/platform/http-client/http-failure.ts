/** Why a request failed, in words that help an operator. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** How the server wants to be asked (`WWW-Authenticate`). */
  readonly challenge: string | undefined

  constructor(
    text: string,
    options: {
      isTransient?: boolean
      status?: number
      retryAfterMs?: number | undefined
      challenge?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(text, { cause: options.cause })
    this.isTransient = options.isTransient ?? false
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.challenge = options.challenge
  }
}
