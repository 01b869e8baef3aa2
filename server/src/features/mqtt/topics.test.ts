import { expect, it } from 'vitest'
import { listDownKinds, readUserName, nameTopicPrefix, readUpKind } from './topics.ts'

const PREFIX = nameTopicPrefix({ workspaceId: 'w1', deviceId: 'd1' })

it.each<[string, string | undefined, string]>([
  ['plimsoll/v1/w1/d1/up/session', 'session', 'it is its own'],
  ['plimsoll/v1/w1/d1/up/weather', 'unknown', 'a later release may know it'],
  ['plimsoll/v1/w1/d1/up', undefined, 'it is not below its own'],
  ['plimsoll/v1/w1/d1/down/config', undefined, 'it is for it to hear, not to say'],
  ['plimsoll/v1/w1/d12/up/session', undefined, 'another device has a longer name'],
  ['plimsoll/v1/w1/d2/up/session', undefined, 'it is of another device'],
  ['plimsoll/v1/w2/d1/up/session', undefined, 'it is of another workspace'],
  ['$SYS/broker', undefined, 'it is the broker’s'],
])('publishing to %s is %s, as %s', (topic, expected) => {
  expect(readUpKind(PREFIX, topic)).toBe(expected)
})

it.each<[string, string[], string]>([
  ['plimsoll/v1/w1/d1/down/config', ['config'], 'it is its own'],
  ['plimsoll/v1/w1/d1/down/#', ['config', 'update', 'key'], 'all are below'],
  ['plimsoll/v1/w1/d1/#', ['config', 'update', 'key'], 'all are below'],
  ['plimsoll/v1/w1/d1/up/#', [], 'nothing is sent there'],
  ['plimsoll/v1/w1/d1/toString', [], 'nothing is sent there'],
  ['plimsoll/v1/w1/+/down/config', [], 'it matches other devices'],
  ['plimsoll/v1/+/d1/down/config', [], 'it matches other workspaces'],
  ['plimsoll/v1/w1/d1', [], 'it is not below its own'],
  ['plimsoll/#', [], 'it matches all'],
  ['#', [], 'it matches all'],
  ['+/+/+/+/down/+', [], 'it matches all'],
  ['$share/g/plimsoll/v1/w1/d1/down/config', [], 'shared subscriptions are not for devices'],
])('subscribing to %s brings %j, as %s', (filter, expected) => {
  expect(listDownKinds(PREFIX, filter)).toEqual(expected)
})

it.each<[string, object | undefined]>([
  ['w1:d1', { workspaceId: 'w1', deviceId: 'd1' }],
  ['w1', undefined],
  ['', undefined],
  ['w1:AA:BB', { workspaceId: 'w1', deviceId: 'AA:BB' }],
])('reads the user name %j', (username, expected) => {
  expect(readUserName(username)).toEqual(expected)
})
