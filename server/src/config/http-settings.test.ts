import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

const path = (name: string) =>
  fileURLToPath(new URL(`../platform/http-client/fixtures/${name}`, import.meta.url))
const TLS = {
  PLIMSOLL_TLS_CERT_FILE: path('localhost.pem'),
  PLIMSOLL_TLS_KEY_FILE: path('localhost.key'),
}

it('speaks TLS with a certificate and its key, and remembers their files', () => {
  const { tls, publicUrl } = readConfig({ ...TLS, PLIMSOLL_PORT: '443' })

  expect(publicUrl).toBe('https://localhost:443')
  expect(tls?.certificate).toBe(readFileSync(path('localhost.pem'), 'utf8').trimEnd())
  expect(tls?.files).toEqual({ certificate: path('localhost.pem'), key: path('localhost.key') })
})

it.each`
  setting                                                     | fault
  ${{ PLIMSOLL_TLS_CERT: 'x' }}                               | ${'PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY need each other'}
  ${{ PLIMSOLL_TLS_CERT: 'x', PLIMSOLL_TLS_KEY: 'y' }}        | ${'are not a certificate and key'}
  ${{ ...TLS, PLIMSOLL_PUBLIC_URL: 'http://plimsoll.local' }} | ${'write https:'}
  ${{ PLIMSOLL_TRUST_PROXY: '0' }}                            | ${'PLIMSOLL_TRUST_PROXY has "0"'}
  ${{ PLIMSOLL_TRUST_PROXY: '1, loopback' }}                  | ${'PLIMSOLL_TRUST_PROXY has "1"'}
  ${{ PLIMSOLL_TRUST_PROXY: 'true' }}                         | ${'PLIMSOLL_TRUST_PROXY has "true"'}
  ${{ PLIMSOLL_TRUST_PROXY: '10.0.0.0/33' }}                  | ${'PLIMSOLL_TRUST_PROXY has "10.0.0.0/33"'}
`('refuses $setting', ({ setting, fault }: { setting: Record<string, string>; fault: string }) => {
  expect(() => readConfig(setting)).toThrow(fault)
})

it('believes the proxies that are named', () => {
  expect(readConfig({}).trustedProxies).toEqual([])
  expect(readConfig({ PLIMSOLL_TRUST_PROXY: '2' }).trustedProxies).toBe(2)
  expect(
    readConfig({ PLIMSOLL_TRUST_PROXY: 'loopback, 10.0.0.0/8, fd00::1' }).trustedProxies,
  ).toEqual(['loopback', '10.0.0.0/8', 'fd00::1'])
})
