/** Texts that the service may see: keys, certificates and lists in PEM. */
import { isPrivateKey } from '../../server/src/formats/images/public-keys.ts'
import { usageError } from './failure.ts'
import { readTextFile } from './text-file.ts'

/** Throws a usage error for a file that cannot be read, and for one that holds a private key: it never leaves the machine. */
export async function readPublicText(file: string): Promise<string> {
  const text = await readTextFile(file)
  if (isPrivateKey(text))
    throw usageError(
      `${file} holds a private key, so it was not sent. Give its certificate or its public part (openssl pkey -in ${file} -pubout).`,
    )
  return text
}
