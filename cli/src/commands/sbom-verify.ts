/** Who signed the SBOMs of a firmware version, and signatures that stand beside them. */
import type { Command } from 'commander'
import type { SbomVerification } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { readPositive } from '../option-values.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { readSignatureFile } from '../signature-file.ts'
import { openVersion, withStatedVersion } from '../stated-version.ts'
import { type VerifyOptions, verifySigned } from '../verify-signed.ts'

export function addSbomVerify(sbom: Command): void {
  withStatedVersion(withConnection(sbom.command('verify')))
    .description('Say whether trusted keys signed the SBOMs, and fail unless they signed each')
    .option('--timeout <seconds>', 'longest time to wait for the check', readPositive, 300)
    .action(verify)

  const signature = sbom
    .command('signature')
    .description('Signatures that stand beside an SBOM, of minisign, cosign, openssl or DSSE')
  withConnection(signature.command('add'))
    .description('Put a signature beside an SBOM, which is checked again with it')
    .argument('<sbom>', 'its id')
    .argument('<file>', 'of minisign, cosign or openssl, as text or as bytes, or a DSSE envelope')
    .action(add)
  withConfirmation(withConnection(signature.command('delete')))
    .description('Take a signature away')
    .argument('<sbom>', 'its id')
    .argument('<signature>', 'its id')
    .action(remove)
}

const VERIFICATIONS =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/sbom-signatures'

async function verify(version: string, options: VerifyOptions): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const read = () => client.get(VERIFICATIONS, { params })
  await verifySigned(options, {
    read,
    describe,
    none: 'The version has no SBOM, so nothing is verified.',
  })
}

function describe({ fileName, state, reason, signatures, beside }: SbomVerification): string[] {
  return [
    `${fileName}: ${state}. ${reason}`,
    ...signatures.map(
      ({ scheme, trustedKey, detail }) =>
        `  ${scheme}${trustedKey === null ? '' : ` by ${trustedKey.name ?? trustedKey.id}`}${detail === null ? '' : `: ${detail}`}`,
    ),
    ...beside.map((one) => `  beside it: ${one.fileName} (${one.id})`),
  ]
}

const SIGNATURES = '/workspaces/{workspaceId}/sboms/{sbomId}/signatures'

async function add(sbomId: string, path: string, options: ConnectionOptions): Promise<void> {
  const body = await readSignatureFile(path)
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(SIGNATURES, { params: { workspaceId, sbomId }, body })
  printDone(options, { answer, id: answer.id, text: `${answer.fileName}: added, and checked soon` })
}

async function remove(
  sbomId: string,
  signatureId: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  await confirm('Take this signature away? The SBOM is checked again without it.', options)
  await client.delete(`${SIGNATURES}/{signatureId}`, {
    params: { workspaceId, sbomId, signatureId },
  })
  printDone(options, { answer: { id: signatureId }, text: 'The signature is deleted' })
}
