/** Sentences of the audit log about members, keys and the workspace. */
import { type ActTeller, tellAs } from './kinds.ts'
import { lowerWords, formatWords } from '../../formats/words.ts'
import {
  listChanged,
  formatCounted,
  isOwn,
  joinTexts,
  write,
  readText,
  readTexts,
  nameThe,
  type Facts,
  type Part,
} from './telling.ts'

const member = tellAs('Member')
const signIn = tellAs('SignIn')
const key = tellAs('Key')
const workspace = tellAs('Workspace')
const refusal = tellAs('Refusal')

export const PEOPLE_SENTENCES = {
  'api-key.create': key(
    (it) =>
      write`made the key ${nameThe(it, 'api-key')} with ${formatCounted(readTexts(it.after['scopes']).length, 'scope')}`,
  ),
  'api-key.revoke': key((it) => write`revoked the key ${nameThe(it, 'api-key')}`),
  'device-key.create': key(
    (it) => write`made the device key ${nameThe(it, 'device-key')} for ${keyHolder(it.after)}`,
  ),
  'device-key.revoke': key(
    (it) => write`revoked the device key ${nameThe(it, 'device-key')} of ${keyHolder(it.before)}`,
  ),
  'trusted-key.create': key(
    (it) =>
      write`trusted the ${describeTrusted(it.after)} ${readText(it.after['name'])} to sign images`,
  ),
  'trusted-key.delete': key(
    (it) =>
      write`ended the trust in the ${describeTrusted(it.before)} ${readText(it.before['name'])}`,
  ),
  'trusted-key.update': key(
    (it) => write`changed ${listChanged(it)} of the trusted key ${readText(it.after['name'])}`,
  ),
  'device-issuer.create': key(
    (it) =>
      write`trusted certificates of devices that ${readText(it.after['name'])} (${readText(it.after['subject'])}) issues`,
  ),
  'device-issuer.delete': key(
    (it) => write`trusted ${readText(it.before['name'])} no more to issue certificates of devices`,
  ),
  'device-issuer.revoke-certificate': key(
    (it) =>
      write`revoked the certificate ${readText(it.after['serial'])} of ${readText(it.after['issuer'])}`,
  ),
  'device-issuer.take-revocation-list': key(
    (it) =>
      write`uploaded the revocation list of ${nameThe(it, 'device-issuer')} with ${formatCounted(it.after['revokedCount'], 'certificate')}`,
  ),
  'device-issuer.update': key(
    (it) => write`changed ${listChanged(it)} of the issuer ${nameThe(it, 'device-issuer')}`,
  ),
  'invitation.create': member(
    (it) => write`invited ${readText(it.after['email'])} as ${formatWords(it.after['role'])}`,
  ),
  'invitation.revoke': member(
    (it) =>
      write`revoked the invitation of ${readText(it.before['email'])} as ${formatWords(it.before['role'])}`,
  ),
  'invitation.send': member(
    (it) => write`sent the invitation of ${readText(it.after['email'])} again`,
  ),
  'member.add-passkey': signIn(
    (it) => write`added the passkey ${readText(it.after['name'])}${forWhom(it)}`,
  ),
  'member.add-second-factor': signIn((it) => write`added a second factor${forWhom(it)}`),
  'member.change-role': member(
    (it) =>
      write`changed the role of ${nameThe(it, 'member')} from ${formatWords(it.before['role'])} to ${formatWords(it.after['role'])}`,
  ),
  'member.end-sessions': signIn((it) => write`ended sessions${ofWhom(it)}`),
  'member.join': member(
    (it) =>
      write`${isOwn(it) ? 'joined' : write`let ${nameThe(it, 'member')} join`} as ${formatWords(it.after['role'])}`,
  ),
  'member.link-provider': signIn(
    (it) =>
      write`linked the account at ${readText(it.after['provider'], 'a provider')}${forWhom(it)}`,
  ),
  'member.refuse-terminal-login': signIn(
    (it) =>
      write`refused a login of ${readText(it.after['client'], 'a program')} on ${readText(it.after['host'], 'an unknown host')}`,
  ),
  'member.remove': member((it) =>
    isOwn(it)
      ? write`left the workspace`
      : write`removed ${nameThe(it, 'member')} from the workspace`,
  ),
  'member.remove-passkey': signIn(
    (it) => write`removed the passkey ${readText(it.before['name'])}${forWhom(it)}`,
  ),
  'member.remove-second-factor': signIn((it) => write`removed a second factor${forWhom(it)}`),
  'member.rename': member(
    (it) =>
      write`changed a name from ${readText(it.before['displayName'])} to ${readText(it.after['displayName'])}`,
  ),
  'member.renew-recovery-codes': signIn((it) => write`made new recovery codes${forWhom(it)}`),
  'member.request-password-reset': signIn((it) => write`asked to reset a password${ofWhom(it)}`),
  'member.reset': signIn(
    (it) =>
      write`made a link to reset the password${ofWhom(it)}${it.after['secondFactorsRemoved'] === true ? ', and removed the second factors' : ''}`,
  ),
  'member.set-password': signIn((it) => write`set a password${forWhom(it)}`),
  'member.set-proposal-mails': member(
    (it) =>
      write`switched ${it.after['proposalMails'] === true ? 'on' : 'off'} the mails about proposals${forWhom(it)}`,
  ),
  'member.set-weekly-mail': member(
    (it) => write`switched ${it.after['weeklyMail'] ? 'on' : 'off'} the weekly mail${forWhom(it)}`,
  ),
  'member.sign-in': signIn((it) => write`signed in with ${method(it)}${from(it)}`),
  'member.sign-in-refused': signIn(
    (it) => write`was refused a sign-in as ${nameThe(it, 'member')} with ${method(it)}${from(it)}`,
  ),
  'member.sign-out': signIn(() => write`signed out`),
  'member.unlink-provider': signIn((it) => write`removed the accounts at providers${ofWhom(it)}`),
  'member.use-recovery-code': signIn(
    (it) =>
      write`used a recovery code; ${formatCounted(it.after['recoveryCodesLeft'], 'code')} left`,
  ),
  'request.refuse': refusal(
    (it) => write`was refused ${formatCounted(it.after['count'], 'request')}${refusedFor(it)}`,
  ),
  'saved-view.create': workspace((it) => write`shared the view ${viewName(it)}`),
  'saved-view.delete': workspace((it) => write`deleted the shared view ${viewName(it)}`),
  'saved-view.update': workspace(
    (it) => write`changed ${listChanged(it)} of the shared view ${viewName(it)}`,
  ),
  'terminal-login.approve': key(
    (it) =>
      write`let ${readText(it.after['client'], 'a program')} on ${readText(it.after['host'], 'an unknown host')} log in with ${formatCounted(readTexts(it.after['scopes']).length, 'scope')}`,
  ),
  'workspace.create': workspace(
    (it) =>
      write`created the workspace ${readText(it.after['name'])} for ${readText(it.after['owner'], 'nobody')}`,
  ),
  'licence-rules.update': workspace((it) =>
    it.after['rules'] === null
      ? write`deleted the licence rules`
      : write`changed which licences may ship`,
  ),
  'owner-rules.update': workspace(
    (it) =>
      write`changed whom findings belong to: ${formatCounted(countOf(it.after['rules']), 'rule')} and ${formatCounted(countOf(it.after['teams']), 'team')}`,
  ),
  'ssvc.add-tree': workspace((it) => write`added the SSVC tree ${readText(it.after['name'])}`),
  'ssvc.update': workspace((it) => write`changed ${listChanged(it)} of SSVC`),
  'workspace.limit': workspace(tellLimits),
  'workspace.update': workspace((it) => write`changed ${listChanged(it)} of the workspace`),
} satisfies Record<string, ActTeller>

const countOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)

const viewName = (it: Facts) => readText(it.after['name'] ?? it.before['name'])

const keyHolder = (fields: Facts['after']) =>
  typeof fields['deviceId'] === 'string'
    ? write`the device ${devicePart(fields['deviceId'])}`
    : write`all devices`

const devicePart = (id: string): Part => ({ text: id, subject: { type: 'device', id } })

const forWhom = (it: Facts) => (isOwn(it) ? [] : write` for ${nameThe(it, 'member')}`)

const ofWhom = (it: Facts) => (isOwn(it) ? [] : write` of ${nameThe(it, 'member')}`)

const METHODS: Readonly<Record<string, string>> = {
  Link: 'a link',
  Passkey: 'a passkey',
  Password: 'a password',
  Provider: 'an account at a provider',
  SecondFactor: 'a second factor',
}

const method = ({ after }: Facts) => METHODS[readText(after['method'])] ?? 'an unknown method'

const from = ({ after }: Facts) =>
  typeof after['address'] === 'string' ? ` from ${after['address']}` : ''

function tellLimits({ after }: Facts): Part[] {
  const { isReset, limits } = after
  const names = typeof limits === 'object' && limits !== null ? Object.keys(limits) : []
  const set =
    names.length === 0 ? '' : `limited ${joinTexts(names.map((name) => lowerWords(name)))}`
  const reset = isReset === true ? 'set the limits of the workspace back' : ''
  return write`${[reset, set].filter(Boolean).join(' and ') || 'changed no limit'}`
}

/** Only routes and reasons: which workspace a key asked for stays in the details, and nobody looks up what it is called. */
function refusedFor({ after }: Facts): string {
  const refused = Array.isArray(after['refused']) ? (after['refused'] as unknown[]) : []
  const requests = refused.map((one) => readText((one as { request?: unknown }).request, 'unknown'))
  return requests.length === 0 ? '' : `: ${joinTexts([...new Set(requests)])}`
}

const describeTrusted = ({ kind }: Facts['after']) =>
  kind === 'Certificate' ? 'certificate' : 'public key'
