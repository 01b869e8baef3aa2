import { expect, it } from 'vitest'
import { type AgedKey, countDays, describeReplacement, type KeyRotation } from './key-rotation.ts'

const NOW = new Date('2026-11-30T12:00:00.000Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

const HOLDER = { isHawkbit: false, lastSeenAt: daysAgo(0.5), wantedDays: 90 }
const KEY: AgedKey = {
  createdAt: daysAgo(100),
  revokedAt: null,
  isNext: false,
  isCertificate: false,
  isOwn: true,
  holder: HOLDER,
  rotation: undefined,
}
const ASKED: KeyRotation = {
  state: 'Asked',
  askedAt: daysAgo(3),
  askedByEmail: null,
  isScheduled: true,
  toldAt: null,
  refusedAt: null,
  fetchedAt: null,
  doneAt: null,
  isHawkbit: false,
}
const UNABLE: KeyRotation = { ...ASKED, state: 'Unable', toldAt: daysAgo(2) }

it.each<[string, Partial<AgedKey>, string]>([
  ['a revoked key', { revokedAt: daysAgo(1) }, 'It ended at 2026-11-29'],
  ['a certificate', { isCertificate: true }, 'The authority that issued it issues the next one'],
  ['a key of all devices', { isOwn: false, holder: undefined }, 'is replaced by hand'],
  ['a fetched key', { isNext: true }, 'has not used it yet'],
  ['a key of nobody', { holder: undefined }, 'No device of this id is registered yet'],
  [
    'a hawkBit client',
    { holder: { ...HOLDER, isHawkbit: true } },
    'no way to fetch a key. It is not',
  ],
  ['no wish', { holder: { ...HOLDER, wantedDays: 0 } }, 'Nobody asked the device to replace it.'],
  ['a young key', { createdAt: daysAgo(89) }, 'once it is 90 days old'],
  [
    'an old key',
    {},
    'older than the 90 days that are wanted. The device will be asked within a day',
  ],
  [
    'silence',
    { holder: { ...HOLDER, lastSeenAt: daysAgo(1) } },
    'in contact again; it was last at 2026-11-29',
  ],
  [
    'no contact',
    { holder: { ...HOLDER, lastSeenAt: null } },
    'once it is in contact; it never was',
  ],
  [
    'a request and no contact',
    { rotation: ASKED, holder: { ...HOLDER, lastSeenAt: null } },
    'never been in contact',
  ],
  [
    'a request and silence since',
    { rotation: ASKED, holder: { ...HOLDER, lastSeenAt: daysAgo(4) } },
    'has not connected since it was asked, and was last in contact at 2026-11-26',
  ],
  ['a request in contact', { rotation: ASKED }, 'asked for nothing since'],
  ['an old client', { rotation: UNABLE }, 'its client does not seem to know how'],
  [
    'a request, and hawkBit by now',
    { rotation: { ...UNABLE, isHawkbit: true } },
    'Replace its key by hand',
  ],
])('says of %s what becomes of it', (_of, key, words) => {
  expect(describeReplacement({ ...KEY, ...key }, NOW)).toContain(words)
})

it('counts whole days, and none before the key was made', () => {
  expect([1.99, 2, 0, -3].map((days) => countDays(daysAgo(days), NOW))).toEqual([1, 2, 0, 0])
})
