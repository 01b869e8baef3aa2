/** Decides which devices may connect, and opens their sessions. */
import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from '../../../platform/db/failures.ts'
import { AppError } from '../../../platform/errors.ts'
import { createTriedKey, type TriedKey } from '../../../platform/key-tries.ts'
import type {
  ConnectRefusal,
  MqttConnection,
  MqttLogin,
  MqttSession,
} from '../../../platform/mqtt/session.ts'
import { createTriedCertificate } from '../../device-issuers/index.ts'
import type { DevicePrincipal } from '../../devices/index.ts'
import { DeviceConnection } from './device-connection.ts'
import type { MqttDoor } from '../door.ts'
import { receiveMessage, reportConnected, reportEnd } from '../service.ts'
import {
  listDownKinds,
  type DeviceName,
  readUserName,
  nameTopicPrefix,
  readUpKind,
} from '../topics.ts'

/** When more logins wait, further ones are refused as unavailable. */
const MOST_WAITING = 20_000

export async function logIn(
  door: MqttDoor,
  login: MqttLogin,
  connection: MqttConnection,
): Promise<MqttSession | ConnectRefusal> {
  const outcome = await checkTries(door, login, connection)
  door.metrics.logins.inc({ outcome: typeof outcome === 'string' ? outcome : 'accepted' })
  return outcome
}

/** As long as an address waits for the next refusal that has shown too many unknown keys, or one of them again. */
const REFUSAL_MS = 1_000

/** Refused keys are counted as by HTTP. */
async function checkTries(
  door: MqttDoor,
  login: MqttLogin,
  connection: MqttConnection,
): Promise<MqttSession | ConnectRefusal> {
  const tried = createTried(login)
  const known = door.tries.begin(tried)
  if (known !== 'mayBeValid') {
    await delay(REFUSAL_MS)
    return known === 'refused' ? 'badCredentials' : 'unavailable'
  }
  const outcome = await admit(door, login, connection)
  if (outcome === 'badCredentials') door.tries.refuse(tried)
  if (typeof outcome !== 'string') door.tries.accept(tried)
  return outcome
}

/** As HTTP has it: what was accepted there is known here. */
function createTried({ username, password, address, certificate }: MqttLogin): TriedKey {
  const name = readUserName(username)
  return password === '' && certificate && name
    ? createTriedCertificate(certificate, { ...name, address })
    : createTriedKey({ key: `Bearer ${password}`, place: `mqtt ${username}` }, address)
}

async function admit(
  door: MqttDoor,
  login: MqttLogin,
  connection: MqttConnection,
): Promise<MqttSession | ConnectRefusal> {
  const name = readUserName(login.username)
  if (!name) return 'badCredentials'
  const topics = nameTopicPrefix(name)
  const { willTopic } = login
  if (willTopic !== undefined && readUpKind(topics, willTopic) === undefined) return 'notAuthorized'
  const { workspaceId } = name
  if (door.logins.waiting() > MOST_WAITING) return 'unavailable'
  if (door.logins.waiting(workspaceId) > MOST_WAITING / 2) return 'unavailable'
  const waitMs = door.pace.waitMs(workspaceId, performance.now())
  if (waitMs === undefined) return 'unavailable'
  if (waitMs > 0) await delay(waitMs)
  const principal = await authenticate(door, name, login)
  if (typeof principal === 'string') return principal
  const now = performance.now()
  const bucket = door.rates.of(principal, now)
  // A connection counts as a message, so that a device in a loop does not keep the database busy.
  if (!bucket.tryTake(now)) return 'unavailable'
  const client = { id: login.clientId, text: readClient(login) }
  const options = { bucket, now, client }
  return begin(door, new DeviceConnection({ ...principal, topics }, connection, options))
}

/** Checks the key again when a key was revoked or a device deleted meanwhile: that signal did not find this connection. */
async function authenticate(
  door: MqttDoor,
  name: DeviceName,
  { password: deviceKey, certificate }: MqttLogin,
): Promise<DevicePrincipal | ConnectRefusal> {
  const credentials =
    deviceKey === '' && certificate ? { ...name, certificate } : { ...name, deviceKey }
  await door.logins.enter(1, name.workspaceId)
  try {
    for (;;) {
      const revision = door.revision()
      const principal = await door.doors.authenticate(credentials)
      if (revision === door.revision()) return principal
    }
  } catch (error) {
    return chooseRefusal(door, error)
  } finally {
    door.logins.leave(1)
  }
}

/** An id that no device can have is not a wrong key: its refusal tells the two apart. */
const REFUSALS: Partial<Record<AppError['kind'], ConnectRefusal>> = {
  unauthorized: 'badCredentials',
  invalid: 'badIdentifier',
}

function chooseRefusal({ ctx }: MqttDoor, error: unknown): ConnectRefusal {
  if (error instanceof AppError) return REFUSALS[error.kind] ?? 'notAuthorized'
  if (!isDatabaseAway(error)) ctx.log.error({ err: error }, 'login of a device failed')
  return 'unavailable'
}

const PLAIN_TEXT = /^[\x20-\x7e]{1,256}$/

function readClient({ clientId }: MqttLogin): string | undefined {
  return PLAIN_TEXT.test(clientId) ? clientId : undefined
}

async function begin(
  door: MqttDoor,
  device: DeviceConnection,
): Promise<MqttSession | ConnectRefusal> {
  for (const older of door.devices.add(device)) older.end({ withoutWill: false })
  try {
    await reportConnected(door, device)
  } catch (error) {
    finish(door, device)
    return chooseRefusal(door, error)
  }
  return {
    received: (message) => receiveMessage(door, device, message),
    maySubscribe: (filter) => listDownKinds(device.prefix, filter).length > 0,
    subscribed: (filter, qos) => {
      device.subscribe(filter, qos)
      door.deliver(device)
    },
    unsubscribed: (filter) => device.unsubscribe(filter),
    ended: () => finish(door, device),
  }
}

function finish(door: MqttDoor, device: DeviceConnection): void {
  device.isOver = true
  const other = door.devices.remove(device)
  door.ending(other ? reportConnected(door, other) : reportEnd(door, device))
}
