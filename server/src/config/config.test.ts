import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './config-error.ts'

it('needs nothing to be set', () => {
  const config = readConfig({})

  expect(config).toMatchObject({
    port: 8080,
    managementPort: 9090,
    publicUrl: 'http://localhost:8080',
    blobs: { kind: 'fs' },
  })
})

it('uses a default only where the environment sets nothing', () => {
  const level = (env: Record<string, string>) =>
    readConfig(env, { PLIMSOLL_LOG_LEVEL: 'silent' }).logLevel

  expect([level({}), level({ PLIMSOLL_LOG_LEVEL: '' })]).toEqual(['silent', 'silent'])
  expect(level({ PLIMSOLL_LOG_LEVEL: 'debug' })).toBe('debug')
})

it.each([
  { text: '', actor: true, address: false },
  { text: 'actor', actor: true, address: false },
  { text: 'address', actor: false, address: true },
  { text: 'actor, address', actor: true, address: true },
  { text: 'none', actor: false, address: false },
])('tells of who asks in the request log with "$text"', ({ text, ...requestLog }) => {
  expect(readConfig({ PLIMSOLL_REQUEST_LOG: text }).requestLog).toEqual(requestLog)
})

it('reports all faults at once', () => {
  const read = () =>
    readConfig({
      PLIMSOLL_PORT: 'eighty',
      PLIMSOLL_PUBLIC_URL: 'ftp://x',
      PLIMSOLL_S3_SECRET_ACCESS_KEY: 'b',
      PLIMSOLL_LOG_LEVEL: 'loud',
      PLIMSOLL_REQUEST_LOG: 'none, address',
      DATABASE_URL: 'mysql://x',
      PLIMSOLL_SBOM_MAX_FILES: '0',
    })

  expect(read).toThrow(ConfigError)
  for (const name of [
    'PLIMSOLL_PORT',
    'PLIMSOLL_PUBLIC_URL',
    'PLIMSOLL_S3_ACCESS_KEY_ID',
    'PLIMSOLL_LOG_LEVEL',
    'PLIMSOLL_REQUEST_LOG',
    'DATABASE_URL',
    'PLIMSOLL_SBOM_MAX_FILES',
  ])
    expect(read).toThrow(name)
})

it('reads a value from the file its twin names', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-config-')), 'url')
  writeFileSync(file, 'postgres://u:p@h/d\n')

  expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe('postgres://u:p@h/d')
  expect(() => readConfig({ DATABASE_URL_FILE: '/nowhere/at/all' })).toThrow('DATABASE_URL_FILE')
  expect(() => readConfig({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://x/y' })).toThrow(
    'both set',
  )
})

it('lets sources reach the addresses that are written, and the hosts that are named', () => {
  const { feeds } = readConfig({
    PLIMSOLL_FEEDS_ALLOWED_HOSTS: 'mirror.corp, 10.0.0.0/8',
    PLIMSOLL_FEED_NVD_URL: 'https://mirror.corp/nvd',
    PLIMSOLL_FEED_OSV_URL: 'http://192.168.1.2:8080/osv',
    PLIMSOLL_FEED_KEV_URL: 'https://localhost/kev.json',
    PLIMSOLL_FEED_CSAF_URL: 'acme=https://csaf.acme.example',
  })

  expect(feeds.http.allowedHosts).toEqual([
    { host: 'mirror.corp', port: undefined },
    { net: '10.0.0.0', prefix: 8 },
    { host: '192.168.1.2', port: '8080' },
    { host: 'localhost', port: '443' },
  ])
})

it('reads where sources are fetched from', () => {
  const { feeds } = readConfig({
    PLIMSOLL_FEEDS: 'off',
    PLIMSOLL_FEEDS_SOURCES: 'osv, kev',
    PLIMSOLL_FEED_CVELIST_URL: '/srv/cvelist',
    PLIMSOLL_FEED_NVD_URL: 'https://mirror.corp/nvd/',
    PLIMSOLL_FEED_NVD_API_KEY: 'key',
    no_proxy: 'corp, localhost',
  })

  expect(feeds).toMatchObject({
    enabled: false,
    sources: ['kev', 'osv'],
    urls: { cvelist: '/srv/cvelist', nvd: 'https://mirror.corp/nvd' },
    nvdApiPace: { requests: 50 },
    http: { allowedHosts: [], proxies: { none: ['corp', 'localhost'] } },
  })
  expect(readConfig({}).feeds).toMatchObject({ enabled: true, http: { allowedHosts: [] } })
  for (const [name, value] of [
    ['PLIMSOLL_FEEDS', 'yes'],
    ['PLIMSOLL_FEEDS_SOURCES', 'nvd,mitre'],
    ['PLIMSOLL_FEED_NVD_MODE', 'both'],
    ['PLIMSOLL_FEED_OSV_URL', '/srv/osv'],
    ['PLIMSOLL_FEEDS_ALLOWED_HOSTS', 'http://mirror.corp/'],
    ['PLIMSOLL_OIDC_ALLOWED_HOSTS', '10.0.0.0/33'],
    ['PLIMSOLL_CA_FILE', '/nowhere/ca.pem'],
  ] as const)
    expect(() => readConfig({ [name]: value })).toThrow(name)
})
