/** Which artifacts devices are offered, and why: what the doors answer, told to people. */
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { IMAGE, isPartRole } from '../../artifacts/index.ts'
import { getDevice } from '../../devices/index.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import * as deployments from '../../deployments/index.ts'

interface AskedOffer {
  workspaceId: string
  deviceId: string
  firmwareVersionId?: string
}

const FIRST_ATTEMPT = { attempt: 1, isRollback: false }

export async function getArtifactOffer(
  ctx: Pick<AppContext, 'db' | 'now' | 'reactions'>,
  { workspaceId, deviceId, firmwareVersionId }: AskedOffer,
) {
  const device = await getDevice(ctx, workspaceId, deviceId)
  const { update, held } =
    firmwareVersionId === undefined
      ? await readUpdate(ctx.db, workspaceId, device.id)
      : { update: null, held: await readImage(ctx.db, workspaceId, firmwareVersionId) }
  const versionIds = held.map((image) => image.firmwareVersionId)
  const further = await deployments.listRoleFiles(ctx.db, workspaceId, versionIds)
  const ability = readAbility(device)
  const running = device.firmware.flatMap(({ confirmed, firmwareVersion }) =>
    confirmed && firmwareVersion ? firmwareVersion.id : [],
  )
  const chosen = deployments.chooseArtifacts(held, further, {
    runs: new Set(running),
    needsImage: deployments.findNeedOfImage(update ?? FIRST_ATTEMPT, ability),
    takesParts: ability.takesParts,
  })
  const parts = further.filter(({ role }) => isPartRole(role))
  return {
    update: update && {
      updateId: update.updateId,
      attempt: update.attempt,
      deploymentId: update.deploymentId,
    },
    artifacts: chosen.map((artifact) => showArtifact(artifact, held, device.firmware)),
    leftOut: ability.takesParts ? [] : parts.map(({ role }) => role),
  }
}

async function readUpdate(db: Db, workspaceId: string, deviceId: string) {
  const [update] = await deployments.listOpenUpdates(db, workspaceId, [deviceId])
  if (!update) return { update: null, held: [] }
  const { deploymentId } = update
  const files = await deployments.listDeployedArtifacts(db, workspaceId, [deploymentId])
  return { update, held: files.get(deploymentId) ?? [] }
}

async function readImage(db: Db, workspaceId: string, firmwareVersionId: string) {
  const { id } = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const image = await deployments.findImage(db, workspaceId, id)
  return image ? [image] : []
}

type Device = Awaited<ReturnType<typeof getDevice>>

type OfferClient = Pick<deployments.OfferGroup, 'door' | 'client'>

/** The door at which the device was last decides, as the doors themselves do. */
const readAbility = ({ door, client }: OfferClient): deployments.ClientAbility =>
  door === 'Ddi' ? deployments.readClientAbility(client) : deployments.ABLE

function showArtifact(
  artifact: deployments.ChosenArtifact,
  held: readonly deployments.DeployedArtifact[],
  firmware: Device['firmware'],
) {
  const { firmwareVersionId, slug, version, fileName, sizeBytes, further, reason } = artifact
  const image = held.find((one) => one.firmwareVersionId === firmwareVersionId)
  const runs = firmware.find((one) => one.slug === slug)
  return {
    firmwareVersionId,
    slug,
    version,
    role: further?.role ?? IMAGE,
    baseVersion: further?.baseVersion ?? null,
    fileName,
    sizeBytes,
    imageBytes: image?.sizeBytes ?? sizeBytes,
    reason,
    runs: runs ? { version: runs.version, confirmed: runs.confirmed } : null,
  }
}

/** How many devices are offered each artifact of a version by deployments that run, and how many run what a delta begins with. */
export async function countArtifactOffers(
  { db }: Pick<AppContext, 'db'>,
  named: { workspaceId: string; firmwareVersionId: string },
) {
  const { workspaceId } = named
  const { id: firmwareVersionId } = await getFirmwareVersion(
    db,
    workspaceId,
    named.firmwareVersionId,
  )
  const image = await deployments.findImage(db, workspaceId, firmwareVersionId)
  const further = await deployments.listRoleFiles(db, workspaceId, [firmwareVersionId])
  const baseVersionIds = further.flatMap(({ baseVersionId }) => baseVersionId ?? [])
  const running = await deployments.countRunning(db, workspaceId, baseVersionIds)
  const groups = await deployments.countOffers(db, workspaceId, {
    firmwareVersionId,
    baseVersionIds,
  })
  const counts = new Map<string, number>()
  for (const { baseVersionId, deviceCount, attempt, isRollback, deployedAt, ...client } of image
    ? groups
    : []) {
    const ability = readAbility(client)
    const taken = deployments.chooseArtifacts(image ? [{ ...image, deployedAt }] : [], further, {
      runs: new Set(baseVersionId === null ? [] : [baseVersionId]),
      needsImage: deployments.findNeedOfImage({ attempt, isRollback }, ability),
      takesParts: ability.takesParts,
    })
    for (const { further: file } of taken) {
      const key = file?.artifactId ?? IMAGE
      counts.set(key, (counts.get(key) ?? 0) + deviceCount)
    }
  }
  const show = (key: string, role: string, baseVersionId: string | null) => ({
    role,
    baseVersionId,
    baseDeviceCount: baseVersionId === null ? null : (running.get(baseVersionId) ?? 0),
    offeredDeviceCount: counts.get(key) ?? 0,
  })
  return {
    artifacts: [
      ...(image ? [show(IMAGE, IMAGE, null)] : []),
      ...further.map(({ artifactId, role, baseVersionId }) =>
        show(artifactId, role, baseVersionId),
      ),
    ],
  }
}
