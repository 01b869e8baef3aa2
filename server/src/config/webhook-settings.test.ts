import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

it('allows no host in private networks by default', () => {
  expect(readConfig({}).webhooks.allowedHosts).toEqual([])
})

it('reads hosts, with a port or without, addresses and nets', () => {
  const { webhooks } = readConfig({
    PLIMSOLL_WEBHOOK_ALLOWED_HOSTS:
      'Hooks.corp, chat.corp:8443,10.1.2.3, [fd00::1]:8080,10.0.0.0/8 ,fd00::/8,',
  })

  expect(webhooks.allowedHosts).toEqual([
    { host: 'hooks.corp', port: undefined },
    { host: 'chat.corp', port: '8443' },
    { net: '10.1.2.3', prefix: 32 },
    { host: '[fd00::1]', port: '8080' },
    { net: '10.0.0.0', prefix: 8 },
    { net: 'fd00::', prefix: 8 },
  ])
})

it.each(['*.corp', 'https://hooks.corp', '10.0.0.0/33', 'hooks.corp/8', 'corp:99999', 'a@b', '/8'])(
  'refuses %s',
  (entry) => {
    expect(() => readConfig({ PLIMSOLL_WEBHOOK_ALLOWED_HOSTS: entry })).toThrow(
      `PLIMSOLL_WEBHOOK_ALLOWED_HOSTS names "${entry}"`,
    )
  },
)
