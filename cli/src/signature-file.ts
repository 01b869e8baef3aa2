/** Files with a signature that stands beside what it signs. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** As the service takes it: bytes that are no text are in Base64. */
export async function readSignatureFile(
  path: string,
): Promise<{ fileName: string; signature: string }> {
  const bytes = await readFile(path)
  const isText = bytes.every((byte) => byte === 9 || byte === 10 || byte === 13 || byte >= 32)
  const text = bytes.toString('utf8')
  const signature = isText && !text.includes('\uFFFD') ? text : bytes.toString('base64')
  return { fileName: basename(path), signature }
}
