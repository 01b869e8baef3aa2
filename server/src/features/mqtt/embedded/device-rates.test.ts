import { expect, it } from 'vitest'
import { DeviceRates } from './device-rates.ts'

const LIMIT = { perMinute: 60, burst: 2 }

it('is one for all connections of a device, one after the other or side by side', () => {
  const rates = new DeviceRates(LIMIT)
  const device = { workspaceId: 'w', deviceId: 'd' }

  const taken = [0, 0, 0, 1_000, 1_000].map((now) => rates.of(device, now).tryTake(now))

  expect(taken).toEqual([true, true, false, true, false])
})

it('is another for each device', () => {
  const rates = new DeviceRates({ perMinute: 60, burst: 1 })
  const devices = ['w d', 'w e', 'v d', 'w d'].map((name) => {
    const [workspaceId = '', deviceId = ''] = name.split(' ')
    return rates.of({ workspaceId, deviceId }, 0).tryTake(0)
  })

  expect(devices).toEqual([true, true, true, false])
})

it('forgets who connected longest ago', () => {
  const rates = new DeviceRates({ perMinute: 60, burst: 1 }, 2)
  const take = (deviceId: string) => rates.of({ workspaceId: 'w', deviceId }, 0).tryTake(0)

  const taken = ['a', 'b', 'a', 'c', 'a', 'b'].map(take)

  expect(taken).toEqual([true, true, false, true, false, true])
})
