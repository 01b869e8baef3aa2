/** The answers of the Direct Device Integration API in HAL, in the form that clients in the field parse. */
import { createHash } from 'node:crypto'

/** The device of an answer, and the address of this service for its links. */
export interface Controller {
  publicUrl: string
  workspaceId: string
  deviceId: string
}

interface Link {
  href: string
}

const linkTo = (controller: Controller, path: string): Link => ({
  href: `${controller.publicUrl}/${controller.workspaceId}/controller/v1/${controller.deviceId}${path}`,
})

/** The open action of a device. There is one at a time, because clients handle only the first they find. */
export type OpenAction =
  | { kind: 'cancel'; number: number }
  | { kind: 'confirm'; number: number; revision: number }
  | { kind: 'deploy'; number: number; revision: number }

export interface Poll {
  sleepSeconds: number
  wantsAttributes: boolean
  action: OpenAction | undefined
  installedNumber: number | undefined
}

export function describeController(controller: Controller, poll: Poll) {
  const { sleepSeconds, wantsAttributes, action, installedNumber } = poll
  return {
    config: { polling: { sleep: sleepText(sleepSeconds) } },
    _links: {
      ...(action && actionLink(controller, action)),
      ...(installedNumber !== undefined && {
        installedBase: linkTo(controller, `/installedBase/${installedNumber}`),
      }),
      ...(wantsAttributes && { configData: linkTo(controller, '/configData') }),
    },
  }
}

function actionLink(controller: Controller, action: OpenAction): Record<string, Link> {
  const { number } = action
  switch (action.kind) {
    case 'cancel':
      // The leading 0 is for Zephyr's client, which skips the first digit (its `sizeof` counts the terminating zero).
      return { cancelAction: linkTo(controller, `/cancelAction/0${number}`) }
    case 'confirm':
      return confirmationLink(controller, action)
    case 'deploy':
      return {
        deploymentBase: linkTo(controller, `/deploymentBase/${number}?c=${action.revision}`),
      }
  }
}

function confirmationLink(
  controller: Controller,
  { number, revision }: { number: number; revision: number },
): Record<string, Link> {
  return { confirmationBase: linkTo(controller, `/confirmationBase/${number}?c=${revision}`) }
}

/** Exactly eight characters for Zephyr's client, and less than 24 hours for C's strptime. */
function sleepText(seconds: number): string {
  const capped = Math.max(1, Math.min(seconds, 86_399))
  const parts = [Math.floor(capped / 3600), Math.floor(capped / 60) % 60, capped % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Without hawkBit's `skip`, which clients interpret differently. */
export type UpdateHandling = 'forced' | 'attempt'

/** How the device is to carry out an action. */
export interface Terms {
  download: UpdateHandling
  update: UpdateHandling
  /** undefined: the deployment has no maintenance window. */
  maintenanceWindow: 'available' | 'unavailable' | undefined
}

export interface Chunk {
  /** hawkBit's id of the software module. */
  moduleId: number
  part: string
  name: string
  version: string
  file: ChunkFile
}

interface ChunkFile {
  fileName: string
  sizeBytes: number
  sha256: string
  sha1: string
  md5: string
}

interface ActionHistory {
  status: string
  messages: string[]
}

export interface Deployment {
  number: number
  terms: Terms
  chunks: readonly Chunk[]
  history: ActionHistory | undefined
}

/** `id` is a string, because Zephyr's client accepts nothing else. */
export function describeDeployment(controller: Controller, deployment: Deployment) {
  return {
    id: String(deployment.number),
    deployment: describeChunks(controller, deployment),
    ...(deployment.history && { actionHistory: deployment.history }),
  }
}

export function describeConfirmationAction(controller: Controller, deployment: Deployment) {
  return {
    id: String(deployment.number),
    confirmation: describeChunks(controller, deployment),
    ...(deployment.history && { actionHistory: deployment.history }),
  }
}

function describeChunks(controller: Controller, { terms, chunks }: Deployment) {
  const { download, update, maintenanceWindow } = terms
  return {
    download,
    update,
    ...(maintenanceWindow && { maintenanceWindow }),
    chunks: chunks.map((chunk) => ({
      part: chunk.part,
      version: chunk.version,
      name: chunk.name,
      artifacts: [describeArtifact(controller, chunk)],
    })),
  }
}

/**
 * Both links have the same address. SWUpdate and RAUC prefer `download`; Zephyr knows only `download-http` and reads only
 * its path.
 */
export function describeArtifact(controller: Controller, { moduleId, file }: Chunk) {
  const path = `/softwaremodules/${moduleId}/artifacts/${encodeURIComponent(file.fileName)}`
  const content = linkTo(controller, path)
  const checksum = linkTo(controller, `${path}.MD5SUM`)
  return {
    filename: file.fileName,
    hashes: { sha1: file.sha1, md5: file.md5, sha256: file.sha256 },
    size: file.sizeBytes,
    _links: {
      download: content,
      'download-http': content,
      md5sum: checksum,
      'md5sum-http': checksum,
    },
  }
}

export function cancelAction(number: number) {
  return { id: String(number), cancelAction: { stopId: String(number) } }
}

export interface AutoConfirm {
  at: Date
  initiator: string | null
  remark: string | null
}

export function describeConfirmation(
  controller: Controller,
  state: { autoConfirm: AutoConfirm | undefined; action: OpenAction | undefined },
) {
  const { autoConfirm, action } = state
  const change = autoConfirm ? 'deactivateAutoConfirm' : 'activateAutoConfirm'
  return {
    autoConfirm: autoConfirm
      ? {
          active: true,
          ...(autoConfirm.initiator !== null && { initiator: autoConfirm.initiator }),
          ...(autoConfirm.remark !== null && { remark: autoConfirm.remark }),
          activatedAt: autoConfirm.at.getTime(),
        }
      : { active: false },
    _links: {
      [change]: linkTo(controller, `/confirmationBase/${change}`),
      ...(action?.kind === 'confirm' && confirmationLink(controller, action)),
    },
  }
}

/** The `c` of a link: a number that changes when the content behind the link changes. */
export function computeRevision(terms: Terms): number {
  return createHash('sha256').update(JSON.stringify(terms)).digest().readUInt32BE() >>> 1
}
