import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

const authority = readFileSync(
  new URL('../platform/http-client/fixtures/authority.pem', import.meta.url),
  'utf8',
)

it('sends no mail by default', () => {
  const { mail } = readConfig({ PLIMSOLL_PUBLIC_URL: 'https://fleet.example.com' })

  expect(mail.server).toBeUndefined()
  expect(mail.from).toEqual({ name: 'Plimsoll', address: 'plimsoll@fleet.example.com' })
})

it.each`
  url                                     | expected
  ${'smtp://mail.example.com'}            | ${{ host: 'mail.example.com', port: 587, secure: false, requireTls: true }}
  ${'smtps://mail.example.com'}           | ${{ host: 'mail.example.com', port: 465, secure: true }}
  ${'smtp://a%40b.c:p%3Aw%25@mail:2525/'} | ${{ host: 'mail', port: 2525, login: { user: 'a@b.c', password: 'p:w%' } }}
  ${'smtp://localhost:1025'}              | ${{ host: 'localhost', requireTls: false, login: undefined }}
  ${'smtp://[::1]:1025'}                  | ${{ host: '::1', requireTls: false }}
`('reads $url', ({ url, expected }: { url: string; expected: object }) => {
  const { mail } = readConfig({ PLIMSOLL_SMTP_URL: url })

  expect(mail.server).toMatchObject(expected)
})

it('takes a sender, an authority, and servers without TLS where it is told to', () => {
  const { mail } = readConfig({
    PLIMSOLL_SMTP_URL: 'smtp://relay.internal:25',
    PLIMSOLL_SMTP_REQUIRE_TLS: 'false',
    PLIMSOLL_SMTP_CA: authority,
    PLIMSOLL_MAIL_FROM: '"Plimsoll (test)" <alerts@example.com>',
  })

  expect(mail.server).toMatchObject({ requireTls: false, authority })
  expect(mail.from).toEqual({ name: 'Plimsoll (test)', address: 'alerts@example.com' })
})

it.each<[string, Record<string, string>, RegExp]>([
  ['another protocol', { PLIMSOLL_SMTP_URL: 'http://mail' }, /PLIMSOLL_SMTP_URL is not a URL/],
  ['a path', { PLIMSOLL_SMTP_URL: 'smtp://mail/x' }, /without a path/],
  ['a user alone', { PLIMSOLL_SMTP_URL: 'smtp://ada@mail' }, /without a password/],
  ['a stray %', { PLIMSOLL_SMTP_URL: 'smtp://ada:100%@mail' }, /%25/],
  ['a switch that is none', { PLIMSOLL_SMTP_REQUIRE_TLS: 'yes' }, /true or false/],
  ['what is not a certificate', { PLIMSOLL_SMTP_CA: 'x' }, /no certificates/],
  ['a sender that is none', { PLIMSOLL_MAIL_FROM: 'Plimsoll' }, /PLIMSOLL_MAIL_FROM/],
  ['a sender with a line break', { PLIMSOLL_MAIL_FROM: 'A\r\nBcc: b <a@b.c>' }, /MAIL_FROM/],
])('refuses %s', (_what, environment, fault) => {
  expect(() => readConfig(environment)).toThrow(fault)
})

it('never shows a password', () => {
  const read = () => readConfig({ PLIMSOLL_SMTP_URL: 'smtp://ada:secret@mail/path' })

  expect(read).toThrow(expect.not.stringContaining('secret'))
})
