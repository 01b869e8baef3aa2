import { createHash } from 'node:crypto'
import type { OfferedArtifact } from '../formats/device-messages/model.ts'
import { RequestRefused, retryUntilDone } from './retrying.ts'

/** Downloads the artifact and continues broken transfers. Throws where the content differs from the offer. */
export async function download(artifact: OfferedArtifact, signal: AbortSignal): Promise<void> {
  const { url, size, sha256, slug, version } = artifact
  let hash = createHash('sha256')
  let received = 0
  await retryUntilDone(signal, async () => {
    const headers = received > 0 ? { range: `bytes=${received}-` } : {}
    const response = await fetch(url, { headers, signal })
    if (!response.ok || !response.body) throw new RequestRefused(response, await response.text())
    if (response.status !== 206) {
      hash = createHash('sha256')
      received = 0
    }
    // The body of fetch is bytes, although the type of the stream does not say so.
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      received += chunk.length
      if (received > size)
        throw new Error(`${slug} ${version} has more than the announced ${size} bytes`)
    }
    // A connection may end early without an error.
    if (received < size) throw new TypeError(`${received} of ${size} bytes`)
  })
  signal.throwIfAborted()
  const digest = hash.digest('hex')
  if (digest !== sha256)
    throw new Error(`${slug} ${version} has the SHA-256 ${digest} in place of ${sha256}`)
}
