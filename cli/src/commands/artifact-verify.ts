/** Whether the artifacts of a firmware version are signed by a trusted key, for people and pipelines. */
import type { Command } from 'commander'
import { type ImageVerification, nameArtifactRole } from '../../../api-client/src/index.ts'
import { EXIT } from '../exit-codes.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { readPositive } from '../option-values.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { getTerminal } from '../terminal.ts'
import { waitUntilChecked } from '../wait-checked.ts'

interface VerifyOptions extends ConnectionOptions {
  timeout: number
}

export function addArtifactVerify(artifact: Command): void {
  withConnection(artifact.command('verify'))
    .description('Say whether trusted keys signed the binaries, and fail unless they signed each')
    .argument('<version>', 'id of the firmware version, or slug@name')
    .option('--timeout <seconds>', 'longest time to wait for the check', readPositive, 300)
    .action(verify)
}

const VERIFICATIONS =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/image-verifications'

async function verify(version: string, options: VerifyOptions): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await findStatedVersionId(session, version)
  const { client, workspaceId } = session
  const params = { workspaceId, firmwareVersionId }
  const verifications = await waitUntilChecked(
    () => client.get(VERIFICATIONS, { params }),
    options.timeout,
  )
  if (options.json) printJson({ verifications })
  else for (const one of verifications) for (const line of describe(one)) printLine(sanitise(line))
  if (verifications.length === 0) note('The version has no artifact, so nothing is verified.')
  const isVerified = verifications.every(({ state }) => state === 'Verified')
  if (!isVerified || verifications.length === 0) getTerminal().exitCode = EXIT.imageNotVerified
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
  const stated = [
    version !== null && `version ${version}`,
    compatible !== null && `compatible ${compatible}`,
    hardware.length > 0 && `hardware ${hardware.join(', ')}`,
    securityCounter !== null && `security counter ${securityCounter}`,
  ].filter((one) => one !== false)
  return [
    `${role === 'image' ? fileName : `${fileName} (${nameArtifactRole({ role, baseVersion })})`}: ${state}. ${reason}`,
    ...(format === null || format === 'NotKnown'
      ? []
      : [
          `  ${[format, variant].filter(Boolean).join(' ')}: ${stated.join(', ') || 'states nothing that is read here'}`,
        ]),
    ...(testKey === null ? [] : [`  Everybody can sign like this: ${testKey}.`]),
    ...(isNamedVersion === false ? ['  It states another version than it was uploaded as.'] : []),
    ...notes.map((one) => `  ${one}`),
  ]
}
