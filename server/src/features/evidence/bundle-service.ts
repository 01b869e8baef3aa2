/** Writes a bundle into a tar file, with the sum of each member and a signature over the sums. */
import type { FileHandle } from 'node:fs/promises'
import { appendTar } from '../../backup/tar-store.ts'
import type { EvidenceSigner } from './keys-service.ts'
import { formatSums, PUBLIC_KEY, SIGNATURE, SUMS } from '../../formats/evidence-sums.ts'

interface BundledFile {
  name: string
  sizeBytes: number
  sha256: string
}

export interface Bundle {
  files: BundledFile[]
  /** One file after the other: each is written as it is read. */
  add: (name: string, content: AsyncIterable<Uint8Array | string>) => Promise<BundledFile>
  /** @returns the sum of the sums, which stands for the whole bundle */
  finish: (signer: EvidenceSigner) => Promise<string>
}

export function beginBundle(file: FileHandle): Bundle {
  const tar = appendTar(file, 'evidence')
  const files: BundledFile[] = []
  const put = async (name: string, content: AsyncIterable<Uint8Array | string>) => {
    const stored = await tar.put(name, gatherBytes(content))
    return { name, ...stored }
  }
  const add: Bundle['add'] = async (name, content) => {
    const added = await put(name, content)
    files.push(added)
    return added
  }
  return {
    files,
    add,
    finish: async (signer) => {
      await add(PUBLIC_KEY, listTexts(signer.publicKey))
      const sums = Buffer.from(formatSums(files))
      const { sha256 } = await put(SUMS, listTexts(sums))
      await put(SIGNATURE, listTexts(signer.sign(sums)))
      await tar.finish()
      return sha256
    },
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- as the contents of others
export async function* listTexts(text: Uint8Array | string): AsyncGenerator<Uint8Array | string> {
  yield text
}

const CHUNK_CHARACTERS = 65_536

/** Writes large chunks instead of each line. */
async function* gatherBytes(
  content: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array> {
  let text = ''
  for await (const part of content) {
    if (typeof part !== 'string') {
      yield part
      continue
    }
    text += part
    if (text.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
