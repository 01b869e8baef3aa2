import { expect, it } from 'vitest'
import type { OutgoingMessage } from '../../../platform/mqtt/session.ts'
import { TokenBucket } from '../../../platform/token-bucket.ts'
import type { DesiredState } from '../../devices/index.ts'
import { DeviceConnection } from './device-connection.ts'

const PREFIX = 'plimsoll/v1/w/d/'

function givenConnection(
  send: (message: OutgoingMessage) => Promise<void> = () => Promise.resolve(),
) {
  const sent: { topic: string; text: string; retain: boolean; qos: number }[] = []
  const connection = {
    id: 'c',
    end: () => undefined,
    send: async (message: OutgoingMessage) => {
      const { topic, payload, retain, qos } = message
      sent.push({
        topic: topic.slice(PREFIX.length),
        text: Buffer.from(payload).toString('latin1'),
        retain,
        qos,
      })
      await send(message)
    },
  }
  const whose = { workspaceId: 'w', deviceId: 'd', keyId: 'k', topics: PREFIX }
  const bucket = new TokenBucket({ perMinute: 0, burst: 1 }, 0)
  return {
    device: new DeviceConnection(whose, connection, {
      bucket,
      now: 0,
      client: { id: 'test', text: undefined },
    }),
    sent,
  }
}

const config = (version: number, update: DesiredState['update'] = null): DesiredState => ({
  config: { version, logSeverity: 'Info' },
  acknowledgedVersion: null,
  update,
  key: null,
})
const UPDATE = { updateId: 'u', cancel: true } as const

it('sends what differs from what it sent, and an empty message when nothing is desired any more', async () => {
  const { device, sent } = givenConnection()
  device.subscribe(`${PREFIX}down/#`, 2)

  for (const desired of [
    config(1),
    config(1),
    config(1, UPDATE),
    config(1, UPDATE),
    config(1),
    config(1),
  ])
    await device.sendDesired(desired)

  expect(sent.map(({ topic, text }) => [topic, text])).toEqual([
    ['down/config', '{"version":1,"logSeverity":"Info"}'],
    ['down/update', '{"updateId":"u","cancel":true}'],
    ['down/update', ''],
  ])
})

it('sends again what is desired, as retained, to who subscribes again', async () => {
  const { device, sent } = givenConnection()
  device.subscribe(`${PREFIX}down/config`, 1)
  await device.sendDesired(config(1))
  await device.sendDesired(config(2))
  device.subscribe(`${PREFIX}down/config`, 0)
  await device.sendDesired(config(2))

  expect(sent.map(({ retain, qos }) => [retain, qos])).toEqual([
    [true, 1],
    [false, 1],
    [true, 0],
  ])
})

it('takes the best quality of service of all subscriptions that match, and stops with the last', async () => {
  const { device, sent } = givenConnection()
  device.subscribe(`${PREFIX}down/config`, 0)
  device.subscribe(`${PREFIX}down/#`, 1)
  await device.sendDesired(config(1))
  device.unsubscribe(`${PREFIX}down/#`)
  await device.sendDesired(config(2))
  device.unsubscribe(`${PREFIX}down/config`)
  await device.sendDesired(config(3))

  expect(sent.map(({ qos }) => qos)).toEqual([1, 0])
})

it('keeps only the newest for a slow reader', async () => {
  const slow = Promise.withResolvers<void>()
  const { device, sent } = givenConnection(() => slow.promise)
  device.subscribe(`${PREFIX}down/#`, 1)

  const offers = [1, 2, 3, 4, 5].map((version) => device.sendDesired(config(version)))
  slow.resolve()
  await Promise.all(offers)

  expect(sent.map(({ text }) => (JSON.parse(text) as { version: number }).version)).toEqual([1, 5])
})

it('speaks the encoding of the device', async () => {
  const { device, sent } = givenConnection()
  device.subscribe(`${PREFIX}down/config`, 1)
  device.encoding = 'cbor'
  await device.sendDesired(config(1))

  expect(sent[0]?.text.charCodeAt(0)).toBe(0xa2)
})
