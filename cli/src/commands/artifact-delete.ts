import {
  ApiProblem,
  type ArtifactOfferCount,
  nameArtifactRole,
  type RoleArtifact,
} from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, withConnection } from '../session.ts'
import { requireWholeRole, type StatedRole } from '../stated-role.ts'
import { openVersion, withStatedVersion } from '../stated-version.ts'

export function addArtifactDelete(artifact: Command): void {
  withConfirmation(withStatedVersion(withConnection(artifact.command('delete'))))
    .description('Delete a binary of a firmware version that no deployment offers')
    .option('--role <role>', 'delta, or a part such as bootloader (default: the full image)')
    .option('--base <version>', 'of a delta: the version that it begins with')
    .action(remove)
}

const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}'
const IMAGE = `${VERSION}/artifact` as const
const ROLE = `${VERSION}/artifacts/{role}` as const

async function remove(
  version: string,
  options: ConnectionOptions & ConfirmOptions & StatedRole,
): Promise<void> {
  requireWholeRole(options)
  const { session, client, params } = await openVersion(version, options)
  const { role = 'image', base } = options
  const baseVersionId = base === undefined ? null : await findStatedVersionId(session, base)
  const isIt = (one: Pick<RoleArtifact, 'role' | 'baseVersionId'>) =>
    one.role === role && one.baseVersionId === baseVersionId
  const { artifacts } = await client.get(`${VERSION}/artifacts`, { params })
  const file = artifacts.find(isIt)
  const counts = await client
    .get(`${VERSION}/artifact-offers`, { params })
    .then((answer) => answer.artifacts.find(isIt), unlessForbidden)
  // What is not there is told by the service.
  if (file) await confirm(`Delete ${describe(file)}? ${describeReach(file, counts)}`, options)
  await (role === 'image'
    ? client.delete(IMAGE, { params })
    : client.delete(ROLE, {
        params: { ...params, role },
        query: { ...(baseVersionId !== null && { baseVersionId }) },
      }))
  const text = `${file ? describe(file) : role}: deleted`
  printDone(options, { answer: { ...params, role, baseVersionId }, text })
}

const describe = (file: RoleArtifact) => `${nameArtifactRole(file)} (${file.fileName})`

const FORBIDDEN = 403

/** Whoever may delete files need not be one who may see deployments. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof ApiProblem) || error.problem.status !== FORBIDDEN) throw error
}

function describeReach(
  { baseVersion }: RoleArtifact,
  counts: ArtifactOfferCount | undefined,
): string {
  const last = 'It cannot be taken back.'
  if (!counts)
    return `How many devices are offered it is not known: the key has no scope "Deployments: read". ${last}`
  const { offeredDeviceCount, baseDeviceCount } = counts
  const offered = `${formatCount(offeredDeviceCount, 'device')} ${offeredDeviceCount === 1 ? 'is' : 'are'} offered it now.`
  if (baseDeviceCount === null) return `${offered} ${last}`
  const based = `${formatCount(baseDeviceCount, 'device')} ${baseDeviceCount === 1 ? 'reports' : 'report'} ${baseVersion ?? 'its base'}.`
  return `${offered} ${based} ${last}`
}
