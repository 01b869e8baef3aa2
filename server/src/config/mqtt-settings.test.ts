import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../platform/http-client/fixtures/${name}`, import.meta.url), 'utf8')

it('listens without TLS alone by default, wherever HTTP does', () => {
  const { mqtt } = readConfig({ PLIMSOLL_HOST: '10.0.0.1' })

  expect(mqtt).toMatchObject({ host: '10.0.0.1', port: 1883, tls: undefined, broker: undefined })
})

it('listens with TLS alone', () => {
  const { mqtt } = readConfig({
    PLIMSOLL_MQTT_PORT: 'off',
    PLIMSOLL_MQTT_TLS_CERT: fixture('localhost.pem'),
    PLIMSOLL_MQTT_TLS_KEY: fixture('localhost.key'),
  })

  expect(mqtt).toMatchObject({ port: undefined, tls: { port: 8883 } })
})

it.each<[string, Record<string, string>, RegExp]>([
  ['a certificate without its key', { PLIMSOLL_MQTT_TLS_CERT: 'x' }, /need each other/],
  [
    'what is not a certificate',
    { PLIMSOLL_MQTT_TLS_CERT: 'x', PLIMSOLL_MQTT_TLS_KEY: 'y' },
    /not a certificate and key/,
  ],
  [
    'the key of another certificate',
    {
      PLIMSOLL_MQTT_TLS_CERT: fixture('authority.pem'),
      PLIMSOLL_MQTT_TLS_KEY: fixture('localhost.key'),
    },
    /not a certificate and key/,
  ],
  ['a port that is none', { PLIMSOLL_MQTT_PORT: 'none' }, /PLIMSOLL_MQTT_PORT/],
  ['larger messages than there are', { PLIMSOLL_MQTT_MAX_MESSAGE_KIBIBYTES: '300' }, /1 to 256/],
  ['a broker by HTTP', { PLIMSOLL_MQTT_BROKER_URL: 'http://x' }, /mqtt: or mqtts:/],
  [
    'a broker whose address holds a password',
    { PLIMSOLL_MQTT_BROKER_URL: 'mqtt://a:b@x' },
    /credentials/,
  ],
  ['a secret that is short', { PLIMSOLL_MQTT_AUTH_SECRET: 'short' }, /16 characters/],
])('refuses %s', (_what, environment, fault) => {
  expect(() => readConfig(environment)).toThrow(fault)
})
