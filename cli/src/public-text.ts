/** Texts that the service may see: keys, certificates and lists in PEM. */
import { readFile } from 'node:fs/promises'
import { isPrivateKey } from '../../server/src/formats/images/public-keys.ts'
import { usageError } from './failure.ts'
import { explainFileFault } from './file-faults.ts'

/** Throws a usage error for a file that cannot be read, and for one that holds a private key: it never leaves the machine. */
export async function readPublicText(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`Cannot read ${file}: ${explainFileFault(error)}.`)
  })
  if (isPrivateKey(text))
    throw usageError(
      `${file} holds a private key, so it was not sent. Give its certificate or its public part (openssl pkey -in ${file} -pubout).`,
    )
  return text
}
