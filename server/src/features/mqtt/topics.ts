/** The topics of a device: `plimsoll/v1/{workspaceId}/{deviceId}/up/…` and `…/down/…`. */

const UP_KINDS = ['session', 'config', 'metrics', 'logs', 'crashes', 'update'] as const
export type UpKind = (typeof UP_KINDS)[number]

export const DOWN_KINDS = ['config', 'update', 'key'] as const
export type DownKind = (typeof DOWN_KINDS)[number]

export interface DeviceName {
  workspaceId: string
  deviceId: string
}

const ROOT = 'plimsoll/v1'

export function nameTopicPrefix({ workspaceId, deviceId }: DeviceName): string {
  return `${ROOT}/${workspaceId}/${deviceId}/`
}

/** At an external broker, devices publish here when they connect. Their will publishes the end of the connection. */
export const CONNECTION = 'connection'

/** undefined: devices do not publish to this topic. */
export function readUpTopic(
  topic: string,
): (DeviceName & { kind: UpKind | typeof CONNECTION | 'unknown' }) | undefined {
  const [plimsoll, v1, workspaceId, deviceId, up, kind, ...rest] = topic.split('/')
  if (`${plimsoll ?? ''}/${v1 ?? ''}` !== ROOT || up !== 'up' || rest.length > 0) return undefined
  if (workspaceId === undefined || deviceId === undefined || kind === undefined) return undefined
  if (kind === CONNECTION) return { workspaceId, deviceId, kind }
  return { workspaceId, deviceId, kind: UP_KINDS.find((one) => one === kind) ?? 'unknown' }
}

/** The topics of all devices, as the service subscribes to them at an external broker. */
export const ALL_DEVICES = {
  up: `${ROOT}/+/+/up/#`,
  down: `${ROOT}/+/+/down/+`,
  connection: `${ROOT}/+/+/up/${CONNECTION}`,
} as const

/** undefined: devices receive nothing on this topic. */
export function readDownTopic(topic: string): (DeviceName & { kind: DownKind }) | undefined {
  const [plimsoll, v1, workspaceId, deviceId, down, last, ...rest] = topic.split('/')
  const kind = DOWN_KINDS.find((one) => one === last)
  if (`${plimsoll ?? ''}/${v1 ?? ''}` !== ROOT || down !== 'down' || !kind || rest.length > 0)
    return undefined
  if (workspaceId === undefined || deviceId === undefined) return undefined
  return { workspaceId, deviceId, kind }
}

/** A user name is `{workspaceId}:{deviceId}`. No id has a colon; one that is stated (of a MAC address) is refused as such. */
export function readUserName(username: string): DeviceName | undefined {
  const colon = username.indexOf(':')
  if (colon < 0) return undefined
  return { workspaceId: username.slice(0, colon), deviceId: username.slice(colon + 1) }
}

/** undefined: the device must not publish to this topic. `unknown`: it may, but this release does not understand it. */
export function readUpKind(prefix: string, topic: string): UpKind | 'unknown' | undefined {
  const own = `${prefix}up/`
  if (!topic.startsWith(own)) return undefined
  const kind = topic.slice(own.length)
  return UP_KINDS.find((one) => one === kind) ?? 'unknown'
}

/** The filters below a device's own prefix that match its topics. A fixed set, as a connection keeps its filters. */
const DOWN_FILTERS: Readonly<Record<string, readonly DownKind[]>> = {
  'down/config': ['config'],
  'down/update': ['update'],
  'down/key': ['key'],
  '+/config': ['config'],
  '+/update': ['update'],
  '+/key': ['key'],
  'down/+': DOWN_KINDS,
  'down/#': DOWN_KINDS,
  '+/+': DOWN_KINDS,
  '#': DOWN_KINDS,
}

/** What the device receives by a subscription. Empty: the filter matches nothing of its own. */
export function listDownKinds(prefix: string, filter: string): readonly DownKind[] {
  if (!filter.startsWith(prefix)) return []
  const own = filter.slice(prefix.length)
  return Object.hasOwn(DOWN_FILTERS, own) ? (DOWN_FILTERS[own] ?? []) : []
}
