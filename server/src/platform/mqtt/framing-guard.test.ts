import { generate } from 'mqtt-packet'
import { expect, it } from 'vitest'
import { FramingGuard } from './framing-guard.ts'

const publish = (bytes: number) =>
  generate({
    cmd: 'publish',
    topic: 't',
    payload: Buffer.alloc(bytes),
    qos: 0,
    dup: false,
    retain: false,
  })

it('takes packets of any cut up to the limit, and none above', () => {
  const stream = Buffer.concat([
    publish(10),
    generate({ cmd: 'pingreq' }),
    publish(300),
    publish(1),
  ])
  for (const size of [1, 2, 3, 7, 64, 1_000]) {
    const guard = new FramingGuard(303)
    for (let at = 0; at < stream.length; at += size)
      expect(guard.accepts(stream.subarray(at, at + size))).toBe(true)
    expect(guard.accepts(publish(301))).toBe(false)
  }
})

it('refuses by the announced length, before the packet is there', () => {
  const guard = new FramingGuard(1_024)

  expect(guard.accepts(publish(100_000).subarray(0, 4))).toBe(false)
})

it('refuses a length of more than four bytes', () => {
  const guard = new FramingGuard(1_024)

  expect(guard.accepts(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x00]))).toBe(false)
})

it('takes larger packets once its limit is raised', () => {
  const guard = new FramingGuard(1_024)
  guard.accepts(publish(100))
  guard.limit = 10_000

  expect(guard.accepts(publish(9_000))).toBe(true)
})
