/** Which connections the broker lets in, and which it ends. */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { generate } from 'mqtt-packet'
import { expect, it } from 'vitest'
import {
  CONNECT,
  givenBroker,
  givenClient,
  givenRawClient,
  publishPacket,
} from '../../../test/given-broker.ts'

it('refuses wrong credentials with the code for them', async () => {
  const { port } = await givenBroker()

  await expect(givenClient(port, { password: 'wrong' })).rejects.toMatchObject({ code: 4 })
})

it('refuses MQTT 5 with the code for its version', async () => {
  const { port } = await givenBroker()

  await expect(givenClient(port, { protocolVersion: 5 })).rejects.toMatchObject({ code: 1 })
})

it('cuts off what sends more than 1 KiB before it is accepted', async () => {
  const { port, dropped } = await givenBroker()
  const raw = await givenRawClient(port)

  raw.socket.write(generate({ ...CONNECT, password: Buffer.alloc(2_000) }))
  await once(raw.socket, 'close')

  expect(dropped).toEqual(['oversized'])
})

it('cuts off a packet above the limit by the length it announces', async () => {
  const { port, dropped, received } = await givenBroker()
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publishPacket('x'.repeat(20_000)).subarray(0, 20))
  await once(raw.socket, 'close')

  expect(dropped).toEqual(['oversized'])
  expect(received).toEqual([])
})

it('cuts off who never sends CONNECT, and who sends something else first', async () => {
  const { port } = await givenBroker()
  const mute = await givenRawClient(port)
  const rude = await givenRawClient(port)

  rude.socket.write(publishPacket('x'))

  await Promise.all([once(mute.socket, 'close'), once(rude.socket, 'close')])
})

it('ends a client that is silent for one and a half times its keep-alive', async () => {
  const { port, dropped, events } = await givenBroker()
  const raw = await givenRawClient(port)

  raw.socket.write(generate({ ...CONNECT, keepalive: 1 }))
  await once(raw.socket, 'close')

  expect(dropped).toEqual(['silent'])
  await expect.poll(() => events).toEqual(['ended'])
})

it('does not take it for silence that a client waits for us', async () => {
  const { port, dropped } = await givenBroker({ store: () => delay(2_500) })
  const raw = await givenRawClient(port)
  raw.socket.write(generate({ ...CONNECT, keepalive: 1 }))
  await raw.next('connack')

  raw.socket.write(publishPacket('slow'))
  await raw.next('puback')

  expect(dropped).toEqual([])
})

it('takes the will of who vanishes as its last message, and none of who is ended without', async () => {
  const { port, received, connections, events } = await givenBroker()
  const will = { topic: 'mine/will', payload: Buffer.from('gone'), qos: 1, retain: false } as const
  const vanishing = await givenRawClient(port)
  vanishing.socket.write(generate({ ...CONNECT, will }))
  await vanishing.next('connack')
  const ended = await givenRawClient(port)
  ended.socket.write(generate({ ...CONNECT, will }))
  await ended.next('connack')
  const leaving = await givenClient(port, { will })

  vanishing.socket.destroy()
  connections[1]?.end({ withoutWill: true })
  await leaving.endAsync()
  await expect.poll(() => events).toEqual(['ended', 'ended', 'ended'])

  expect(received).toEqual([{ topic: 'mine/will', text: 'gone' }])
})

it('answers what it received before it closes', async () => {
  const [asked, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const store = () => {
    asked.resolve()
    return stored.promise
  }
  const { port, broker } = await givenBroker({ store })
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')
  raw.socket.write(publishPacket('last words'))
  await asked.promise

  const closed = broker.close(5_000)
  stored.resolve()
  await closed

  expect(raw.packets.map(({ cmd }) => cmd)).toEqual(['connack', 'puback'])
})
