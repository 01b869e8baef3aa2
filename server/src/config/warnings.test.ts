import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createEncryptionKey } from '../platform/secret-encryption.ts'
import { readConfig } from './config.ts'

const ENCRYPTION = createEncryptionKey()

it.each`
  publicUrl                    | codes
  ${undefined}                 | ${[]}
  ${'http://127.0.0.1:80'}     | ${[]}
  ${'http://[::1]:80'}         | ${[]}
  ${'https://plimsoll.local'}  | ${['mqtt-in-clear']}
  ${'http://plimsoll.local'}   | ${['keys-in-clear']}
  ${'http://192.168.1.5:8080'} | ${['keys-in-clear']}
`('with the public URL $publicUrl it warns of $codes', ({ publicUrl, codes }: WarningCase) => {
  const { warnings } = readConfig(publicUrl === undefined ? {} : { PLIMSOLL_PUBLIC_URL: publicUrl })

  expect(warnings.map(({ code }) => code)).toEqual(codes)
})

it.each`
  settings                                     | codes
  ${{}}                                        | ${['mqtt-in-clear']}
  ${{ PLIMSOLL_MQTT_PORT: 'off' }}             | ${[]}
  ${{ PLIMSOLL_MQTT_HOST: '127.0.0.1' }}       | ${[]}
  ${{ PLIMSOLL_MQTT_BROKER_URL: 'mqtts://b' }} | ${[]}
`('beside https and with $settings it warns of $codes', ({ settings, codes }: OfMqtt) => {
  const env = { PLIMSOLL_PUBLIC_URL: 'https://plimsoll.local', ...settings }

  expect(readConfig(env).warnings.map(({ code }) => code)).toEqual(codes)
})

it.each`
  settings                                                                          | codes
  ${{}}                                                                             | ${[]}
  ${{ DATABASE_URL: 'postgres://a:b@127.0.0.1/p' }}                                 | ${[]}
  ${{ DATABASE_URL: 'postgres:///p' }}                                              | ${[]}
  ${{ DATABASE_URL: 'postgres:///p?host=/run/postgresql' }}                         | ${[]}
  ${{ DATABASE_URL: 'postgres://%2Frun%2Fpostgresql/p' }}                           | ${[]}
  ${{ DATABASE_URL: 'postgres://db.local/p' }}                                      | ${['secrets-in-clear']}
  ${{ DATABASE_URL: 'postgres:///p?host=db.local' }}                                | ${['secrets-in-clear']}
  ${{ DATABASE_URL: 'postgres://db.local/p', PLIMSOLL_ENCRYPTION_KEY: ENCRYPTION }} | ${[]}
  ${{ DATABASE_URL: 'postgres://db.local/p', PLIMSOLL_ENCRYPTION_KEY: 'none' }}     | ${['secrets-in-clear']}
  ${{ PLIMSOLL_BACKUP_TO: '/mnt/backups' }}                                         | ${[]}
  ${{ PLIMSOLL_BACKUP_TO: 's3://b/c' }}                                             | ${['secrets-in-clear']}
  ${{ PLIMSOLL_BACKUP_TO: 's3://b/c', PLIMSOLL_S3_ENDPOINT: 'http://[::1]:9000' }}  | ${[]}
  ${{ PLIMSOLL_BACKUP_TO: 's3://b/c', PLIMSOLL_S3_ENDPOINT: 'https://s3.local' }}   | ${['secrets-in-clear']}
  ${{ PLIMSOLL_BACKUP_TO: 's3://b/c', PLIMSOLL_BACKUP_ENCRYPT_TO: 'age1x' }}        | ${[]}
  ${{ PLIMSOLL_BACKUP_TO: 's3://b/c', PLIMSOLL_ENCRYPTION_KEY: ENCRYPTION }}        | ${[]}
`('with $settings it warns of $codes', ({ settings, codes }: OfMqtt) => {
  expect(readConfig(settings).warnings.map(({ code }) => code)).toEqual(codes)
})

it.each`
  text                         | fault
  ${' '}                       | ${/holds no key/}
  ${'secret'}                  | ${/key 1 of 1 is not one/}
  ${`${ENCRYPTION}x`}          | ${/key 1 of 1 is not one/}
  ${ENCRYPTION.slice(0, -2)}   | ${/key 1 of 1 is not one/}
  ${`${ENCRYPTION},none`}      | ${/key 2 of 2 is not one/}
  ${`none ${ENCRYPTION}\na b`} | ${/key 2 of 3 .*\n.*key 3 of 3/}
`('refuses $text as encryption keys, without repeating them', ({ text, fault }: FaultyKey) => {
  const read = () => readConfig({ PLIMSOLL_ENCRYPTION_KEY: text })

  expect(read).toThrow(fault)
  expect(read).not.toThrow(ENCRYPTION.slice(0, -2))
})

interface FaultyKey {
  text: string
  fault: RegExp
}

interface OfMqtt {
  settings: Record<string, string>
  codes: string[]
}

interface WarningCase {
  publicUrl: string | undefined
  codes: string[]
}

it.each`
  name                     | similar
  ${'PLIMSOLL_PUBLIC_ULR'} | ${'PLIMSOLL_PUBLIC_URL'}
  ${'PLIMSOLL_SMTPS_URL'}  | ${'PLIMSOLL_SMTP_URL'}
  ${'PLIMSOLL_S3_BUKET'}   | ${'PLIMSOLL_S3_BUCKET'}
  ${'PLIMSOLL_XYZ'}        | ${undefined}
`('tells that $name is no setting, and which it might mean', ({ name, similar }: MisspeltCase) => {
  const { warnings } = readConfig({ [name]: 'x' })

  const hint = similar === undefined ? '' : ` Did you mean ${similar}?`
  expect(warnings).toEqual([
    { code: 'unknown-setting', detail: `${name} is set, but is not a setting.${hint}` },
  ])
})

interface MisspeltCase {
  name: string
  similar: string | undefined
}

it('knows the variables of other programs, and every one that the guide names', () => {
  const guide = readFileSync(new URL('../../../docs/guide/settings.md', import.meta.url), 'utf8')
  const documented = [...guide.matchAll(/`(PLIMSOLL_[A-Z0-9_]*[A-Z0-9])`/g)].map(
    ([, name = '']) => name,
  )
  const others = ['PLIMSOLL_URL', 'PLIMSOLL_API_KEY', 'PLIMSOLL_PORT_8080_TCP_ADDR']

  expect(documented.length).toBeGreaterThan(50)
  expect([...documented, ...others].filter(isUnknown)).toEqual([])
})

/** Only a setting that is known can have a wrong value. */
function isUnknown(name: string): boolean {
  try {
    return readConfig({ [name]: 'x' }).warnings.some(({ code }) => code === 'unknown-setting')
  } catch {
    return false
  }
}
