/** Whether the artifacts of a firmware version are signed by a trusted key, for people and pipelines. */
import type { Command } from 'commander'
import {
  type ImageVerification,
  nameArtifactRole,
  nameImageFormat,
} from '../../../api-client/src/index.ts'
import { readPositive } from '../option-values.ts'
import { withConnection } from '../session.ts'
import { openVersion, withStatedVersion } from '../stated-version.ts'
import { type VerifyOptions, verifySigned } from '../verify-signed.ts'

export function addArtifactVerify(artifact: Command): void {
  withStatedVersion(withConnection(artifact.command('verify')))
    .description('Say whether trusted keys signed the binaries, and fail unless they signed each')
    .option('--timeout <seconds>', 'longest time to wait for the check', readPositive, 300)
    .action(verify)
}

const VERIFICATIONS =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/image-verifications'

async function verify(version: string, options: VerifyOptions): Promise<void> {
  const { client, params } = await openVersion(version, options)
  const read = () => client.get(VERIFICATIONS, { params })
  await verifySigned(options, {
    read,
    describe,
    none: 'The version has no artifact, so nothing is verified.',
  })
}

function describe({
  role,
  baseVersion,
  fileName,
  state,
  reason,
  format,
  variant,
  statement,
  isNamedVersion,
  testKey,
  notes,
}: ImageVerification): string[] {
  const { version, compatible, hardware, securityCounter } = statement
  const name = nameImageFormat({ format, variant })
  const stated = [
    version !== null && `version ${version}`,
    compatible !== null && `compatible ${compatible}`,
    hardware.length > 0 && `hardware ${hardware.join(', ')}`,
    securityCounter !== null && `security counter ${securityCounter}`,
  ].filter((one) => one !== false)
  return [
    `${role === 'image' ? fileName : `${fileName} (${nameArtifactRole({ role, baseVersion })})`}: ${state}. ${reason}`,
    ...(name === undefined
      ? []
      : [`  ${name}: ${stated.join(', ') || 'states nothing that is read here'}`]),
    ...(testKey === null ? [] : [`  Everybody can sign like this: ${testKey}.`]),
    ...(isNamedVersion === false ? ['  It states another version than it was uploaded as.'] : []),
    ...notes.map((one) => `  ${one}`),
  ]
}
