/** Whether the artifacts of a firmware version are signed by a trusted key, for people and pipelines. */
import type { Command } from 'commander'
import { describeImage } from '../image-lines.ts'
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
    describe: describeImage,
    none: 'The version has no artifact, so nothing is verified.',
  })
}
