/** The mail server, and the sender of mails. */
import { findAuthorityFault } from '../platform/certificate.ts'
import { isLoopbackHost } from '../platform/loopback.ts'
import type { MailSettings, SmtpServer } from '../platform/mail/settings.ts'
import type { SettingsReader } from './reader.ts'

const SECOND = 1000

export function readMail(reader: SettingsReader, publicUrl: string): MailSettings {
  return {
    server: readServer(reader),
    from: readFrom(reader, publicUrl),
    mostPerHour: readMostPerHour(reader),
    patience: {
      connectMs: 10 * SECOND,
      greetingMs: 20 * SECOND,
      totalMs: 60 * SECOND,
    },
  }
}

function readMostPerHour(reader: SettingsReader): number | null {
  const most = reader.integer('PLIMSOLL_MAILS_PER_HOUR', 10_000, { min: 0, max: 1_000_000 })
  return most === 0 ? null : most
}

const URL_FORM = 'smtp://user:password@host:587 or smtps://…'

function readServer(reader: SettingsReader): SmtpServer | undefined {
  const text = reader.text('PLIMSOLL_SMTP_URL')
  const authority = readAuthority(reader)
  const requireTls = readRequireTls(reader)
  if (text === undefined) return undefined
  const url = URL.parse(text)
  // The value is not shown, as it may hold a password.
  if (!url || !isServerUrl(url)) {
    reader.faults.push(`PLIMSOLL_SMTP_URL is not a URL of the form ${URL_FORM}, without a path.`)
    return undefined
  }
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replaceAll(/^\[|\]$/g, '').toLowerCase()
  const login = readLogin(reader, url)
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A connection that does not leave the machine needs no TLS.
    requireTls: requireTls ?? !isLoopbackHost(host),
    login,
    authority,
  }
}

function isServerUrl({ protocol, hostname, pathname, search, hash }: URL): boolean {
  const isSmtp = protocol === 'smtp:' || protocol === 'smtps:'
  return isSmtp && hostname !== '' && /^\/?$/.test(pathname) && search === '' && hash === ''
}

function readLogin(reader: SettingsReader, { username, password }: URL): SmtpServer['login'] {
  if (username === '' && password === '') return undefined
  try {
    const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) }
    if (login.user !== '' && login.password !== '') return login
    reader.faults.push('PLIMSOLL_SMTP_URL holds a user without a password, or the reverse.')
  } catch {
    reader.faults.push(
      'PLIMSOLL_SMTP_URL holds a % in its user or password that must be written as %25.',
    )
  }
  return undefined
}

function readRequireTls(reader: SettingsReader): boolean | undefined {
  const text = reader.text('PLIMSOLL_SMTP_REQUIRE_TLS')
  if (text !== undefined && text !== 'true' && text !== 'false')
    reader.faults.push('PLIMSOLL_SMTP_REQUIRE_TLS must be true or false.')
  return text === undefined ? undefined : text !== 'false'
}

function readAuthority(reader: SettingsReader): string | undefined {
  const authority = reader.text('PLIMSOLL_SMTP_CA')
  if (authority === undefined) return undefined
  const fault = findAuthorityFault(authority)
  if (fault !== undefined)
    reader.faults.push(`PLIMSOLL_SMTP_CA or its file holds no certificates (PEM): ${fault}.`)
  return authority
}

/** Addresses of RFC 5321 that servers accept, with address literals for hosts without a name. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9.-]+|\[[A-Za-z0-9.:]+\])$/

function readFrom(reader: SettingsReader, publicUrl: string): MailSettings['from'] {
  const text = reader.text('PLIMSOLL_MAIL_FROM')
  const fallback = { name: 'Plimsoll', address: `plimsoll@${readDomain(publicUrl)}` }
  if (text === undefined) return fallback
  const [, name = '', address = ''] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? ['', '', text]
  const from = { name: name.trim().replaceAll(/^"|"$/g, ''), address: address.trim() }
  if (ADDRESS.test(from.address) && !/\p{C}/u.test(from.name)) return from
  reader.faults.push(
    'PLIMSOLL_MAIL_FROM must be an address, or a name and an address: Plimsoll <alerts@example.com>.',
  )
  return fallback
}

function readDomain(publicUrl: string): string {
  const host = URL.parse(publicUrl)?.hostname ?? 'localhost'
  if (host.startsWith('[')) return `[IPv6:${host.slice(1)}`
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? `[${host}]` : host
}
