import { isPassing } from '../query-client.ts'

/**
 * Why there is nothing to show. An answer that came before stays on the page while the service cannot be reached, and with it what
 * somebody has typed; the frame says how old it is. One that is gone, or no longer for this reader, does not stay.
 */
export function findBlockingError({
  data,
  error,
}: {
  data: unknown
  error: Error | null
}): Error | null {
  return data !== undefined && error !== null && isPassing(error) ? null : error
}
