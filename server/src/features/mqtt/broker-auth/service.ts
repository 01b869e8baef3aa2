/** Decides for an external broker who may connect and do what. */
import { hash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../../platform/errors.ts'
import type { MqttSettings } from '../../../config/mqtt-settings.ts'
import type { DeviceDoors } from '../../devices/index.ts'
import { listAccesses, type Access, mayDevice } from './acl.ts'
import { readUserName } from '../topics.ts'

export async function mayConnect(
  doors: Pick<DeviceDoors, 'authenticate'>,
  { broker }: MqttSettings,
  { username = '', password = '' }: { username?: string; password?: string },
): Promise<boolean> {
  if (isService(broker, username))
    return broker?.password !== undefined && isSame(password, broker.password)
  const name = readUserName(username)
  if (!name) return false
  try {
    await doors.authenticate({ ...name, deviceKey: password })
    return true
  } catch (error) {
    // Anything else is an outage. The broker gets an error and must not cache it as a refusal.
    if (error instanceof AppError) return false
    throw error
  }
}

/** Whether the service itself connects. */
export function isService(broker: MqttSettings['broker'], username: string | undefined): boolean {
  return broker?.username !== undefined && broker.username === username
}

export function mayAccess(
  { broker }: MqttSettings,
  request: { username?: string; topic: string; acc?: number; action?: Access },
): boolean {
  const { username = '', topic } = request
  return isService(broker, username) || mayDevice(username, topic, listAccesses(request))
}

/** The secret comes in a header, or in the query where a broker cannot send headers. */
export function checkBrokerSecret(
  expected: string,
  { authorization, secret }: { authorization: string | undefined; secret: string | undefined },
): void {
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? secret
  if (given !== undefined && isSame(given, expected)) return
  throw new AppError(
    'unauthorized',
    'broker-unauthorized',
    'The secret of the broker is missing or wrong.',
  )
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}
