/** Why the file store cannot be used, in words. */
import { describeFileFailure } from '../file-failure.ts'
import type { BlobStoreConfig, StoreFault } from './blob-store.ts'
import { readCode } from '../errors.ts'

/** Errors of S3 have the answer's metadata (AWS SDK, ServiceException). */
export function describeStoreFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'CredentialsProviderError')
    return `There are no credentials for the file store: ${error.message}. Set PLIMSOLL_S3_ACCESS_KEY_ID and PLIMSOLL_S3_SECRET_ACCESS_KEY, or give this machine a role.`
  if (!('$metadata' in error)) return undefined
  return `The file store refuses: ${error.name}: ${error.message.replace(/\.$/, '')}. Check PLIMSOLL_S3_BUCKET, its endpoint and its keys.`
}

export const isAway = (error: unknown): boolean =>
  error instanceof Error && (AWAY.test(readCode(error)) || error.name === 'TimeoutError')

const AWAY =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)$/

/** @param place the bucket and where it is asked for @param withinMs after which the question was given up */
export function explainStoreFault(error: unknown, place: string, withinMs: number): StoreFault {
  if (error instanceof Error && error.name === 'AbortError')
    return { isAway: true, detail: `${place} did not answer within ${withinMs / 1_000} s.` }
  if (isAway(error)) {
    const code = error instanceof Error ? readCode(error) || error.name : ''
    return { isAway: true, detail: `${place} cannot be reached (${code}).` }
  }
  const why = describeStoreFailure(error) ?? describeFileFailure(error) ?? String(error)
  return { isAway: false, detail: why }
}

export function nameStore(config: BlobStoreConfig): string {
  if (config.kind === 'fs') return config.directory
  const { bucket, endpoint, region } = config
  return `the bucket ${bucket} at ${endpoint ?? `S3 in ${region}`}`
}
