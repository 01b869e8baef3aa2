/** Whether an SBOM is signed by one of these keys, without a service. */
import { readFile } from 'node:fs/promises'
import {
  examineSbom,
  readSignatureBeside,
} from '../../../server/src/formats/sbom-signatures/examine-sbom.ts'
import { judgeSbom } from '../../../server/src/formats/sbom-signatures/judge-sbom.ts'
import { EXIT } from '../exit-codes.ts'
import { describeKeys, readGivenSignature, readKeyFiles } from '../given-keys.ts'
import { findUploadFile } from '../multipart.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { getTerminal } from '../terminal.ts'

export interface SignatureOptions {
  json?: boolean
  quiet?: boolean
  keys: readonly string[]
  signature: readonly string[]
}

export async function checkSignature(
  path: string,
  { json, quiet = false, keys: keyFiles, signature }: SignatureOptions,
): Promise<void> {
  getTerminal().isQuiet = quiet
  const { name: fileName } = await findUploadFile(path)
  const { atHand, trusted } = describeKeys(await readKeyFiles(keyFiles))
  const beside = await Promise.all(
    signature.map((one) =>
      readGivenSignature(one, (text) => {
        readSignatureBeside(text)
        return text
      }),
    ),
  )
  const facts = await examineSbom(await readFile(path), {
    keys: atHand,
    beside,
  })
  const { state, reason, signatures } = judgeSbom(facts, trusted, new Date())
  const shown = signatures.map(({ trustedKey, ...one }) => ({
    ...one,
    trustedKey: trustedKey?.name ?? null,
  }))
  if (json === true) printJson({ fileName, state, reason, signatures: shown })
  else printLine(sanitise(`${fileName}: ${state}. ${reason}`))
  if (state !== 'Verified') getTerminal().exitCode = EXIT.imageNotVerified
}
