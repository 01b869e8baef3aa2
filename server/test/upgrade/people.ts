/** Members, how they sign in, and what they asked for. */
import { computeCode, stepAt } from '../../src/features/people/factors/totp.ts'
import { type Caller, ask, made, signIn, visitor } from './caller.ts'
import type { Installation } from './installation.ts'

export interface PersonWithPassword {
  email: string
  password: string
}

export const OWNER: PersonWithPassword = {
  email: 'ada@lighthouses.example',
  password: 'nine fathoms below the keel',
}

/** Other settings than a new workspace has. */
export const changeSettings = (caller: Caller) =>
  made(
    caller,
    '{ws}/settings',
    {
      name: 'Lighthouse Works',
      defaultLogSeverity: 'Info',
      deviceAutoRegistration: true,
      remediationTargetDays: { Critical: 7, High: 20, Medium: 60, Low: 120 },
      metricRetentionDays: 45,
      logRetentionDays: 40,
      releaseGate: 'Warn',
      devicePollingSeconds: 120,
    },
    { method: 'PUT' },
  )

const tokenOf = (link: string) => /#(?:token=)?(.+)$/.exec(link)?.[1] ?? ''

/** Opens the link as somebody who had no account. */
async function accept(
  caller: Caller,
  link: string,
  person: { password: string; displayName: string },
) {
  await made(caller, '/auth/links/accept', { token: tokenOf(link), ...person })
}

/** The owner with a password, somebody who accepted an invitation, and one who has not yet. */
export async function makePeople(
  { url }: Installation,
  { workspaceId }: Caller,
  setupUrl: string,
): Promise<Caller> {
  const stranger = visitor(url, workspaceId)
  await accept(stranger, setupUrl, { password: OWNER.password, displayName: 'Ada' })
  const owner = await signIn(stranger, OWNER)
  const invite = (email: string, role: string) =>
    made<{ link: string }>(owner, '{ws}/invitations', { email, role })
  const { link } = await invite('grace@lighthouses.example', 'Engineer')
  const grace = { email: 'grace@lighthouses.example', password: 'a tall ship and a star' }
  await accept(stranger, link, { password: grace.password, displayName: 'Grace' })
  await addSecondFactor(await signIn(stranger, grace))
  await invite('late@lighthouses.example', 'Viewer')
  return owner
}

async function addSecondFactor(person: Caller): Promise<void> {
  const { secret } = await made<{ secret: string }>(person, '/me/totp', undefined, {
    method: 'POST',
  })
  const code = computeCode(bytesOf(secret), stepAt(new Date()))
  await made(person, '/me/totp/confirm', { code })
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function bytesOf(base32: string): Buffer {
  const bits = Array.from(base32, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** What only people do. */
export async function askAsOwner(owner: Caller): Promise<void> {
  await made(owner, '{ws}/api-keys', { name: 'Dashboard', scopes: ['Vulnerabilities: read'] })
  await made(
    owner,
    `/me/notifications/${owner.workspaceId}`,
    { weeklyMail: { day: 'Mon', at: '08:00', timeZone: 'Europe/Berlin' } },
    { method: 'PUT' },
  )
  await made(owner, '{ws}/vulnerability-sources/imports?fileName=kev.json', KEV, {
    headers: { 'content-type': 'application/octet-stream' },
  })
  await logInAtTerminal(owner)
}

const KEV = JSON.stringify({
  title: 'CISA Catalog of Known Exploited Vulnerabilities',
  catalogVersion: '2026.03.06',
  dateReleased: '2026-03-06T00:00:00.000Z',
  count: 0,
  vulnerabilities: [],
})

/** One terminal has its key, another one still waits for somebody. */
async function logInAtTerminal(owner: Caller): Promise<void> {
  const terminal = { ...owner, headers: {} }
  const begin = (host: string) =>
    made<{ deviceCode: string; userCode: string }>(terminal, '/auth/terminal-logins', {
      client: 'plimsoll',
      host,
    })
  const { deviceCode, userCode } = await begin('bench-7')
  await made(owner, '/me/terminal-logins/approve', {
    userCode,
    workspaceId: owner.workspaceId,
    scopes: ['Firmware: read'],
    expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  })
  await ask(terminal, { path: '/auth/terminal-logins/key', body: { deviceCode } })
  await begin('bench-8')
}
