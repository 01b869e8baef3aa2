import { isUuid } from '../../../platform/ids.ts'
import { isDeviceId } from '../../devices/index.ts'
import { listDownKinds, readUserName, nameTopicPrefix, readUpKind } from '../topics.ts'

export type Access = 'publish' | 'subscribe'

/** The numbers of mosquitto-go-auth: read, write, both, subscribe. */
const ACCESSES: Readonly<Record<number, readonly Access[]>> = {
  1: ['subscribe'],
  2: ['publish'],
  3: ['publish', 'subscribe'],
  4: ['subscribe'],
}

export function listAccesses(request: { acc?: number; action?: Access }): readonly Access[] {
  if (request.action !== undefined) return [request.action]
  return request.acc === undefined ? [] : (ACCESSES[request.acc] ?? [])
}

/** Whether a device may do all of it. It may only use its own topics. */
export function mayDevice(username: string, topic: string, accesses: readonly Access[]): boolean {
  const name = readUserName(username)
  if (!name || accesses.length === 0) return false
  // A broker may let clients in by other means: a user name of wildcards would match the topics of all devices.
  if (!isUuid(name.workspaceId) || !isDeviceId(name.deviceId)) return false
  const prefix = nameTopicPrefix(name)
  return accesses.every((access) =>
    access === 'publish'
      ? readUpKind(prefix, topic) !== undefined
      : listDownKinds(prefix, topic).length > 0,
  )
}
