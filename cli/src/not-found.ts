/** Where a name or id names nothing: the command that shows what there is. */

/** By the words of the service and of the commands for what is missing. */
const LISTS: Readonly<Record<string, string>> = {
  'accepted risk': 'acceptance list',
  'alert incident': 'incident list',
  'alert rule': 'alert-rule list',
  'alert silence': 'incident silences',
  'api key': 'key list',
  'artifact signature': 'artifact signature list VERSION',
  'audit entry': 'audit list',
  case: 'case list --all',
  cohort: 'cohort list',
  comment: 'comment list',
  component: 'components list VERSION',
  customer: 'customer list',
  'crash build': 'crash builds',
  'crash group': 'crash list',
  'customer link': 'customer links CUSTOMER',
  'decision batch': 'findings decisions',
  deployment: 'deployment list',
  'deployment cohort': 'cohort list',
  device: 'device list',
  'device issuer': 'device-issuer list',
  'device key': 'device-key list',
  'device key in use': 'device-key list',
  'disclosure report': 'disclosure list --all',
  fact: 'case show CASE --facts',
  finding: 'findings list VERSION',
  firmware: 'firmware list',
  'firmware version': 'firmware versions FIRMWARE',
  member: 'member list',
  'notification target': 'notification-target list',
  obligation: 'obligation list',
  'package override': 'override list',
  'product line': 'product-line list',
  proposal: 'proposal list',
  report: 'case show CASE',
  sbom: 'sbom list VERSION',
  'sbom signature': 'sbom verify VERSION',
  'security advisory': 'advisory list',
  'support statement': 'support list',
  'standing address': 'standing-address list',
  'supplier feed': 'supplier-feed list',
  'trusted key': 'trusted-key list',
  'upstream report': 'upstream-report list',
  'vex document': 'vex list VERSION',
  vulnerability: 'vulnerabilities list',
  'vulnerability source': 'source list',
  webhook: 'webhook list',
}

/** Ends the sentence that says what is missing. */
export function withWayToList(sentence: string, what: string): string {
  const list = LISTS[what]
  return list === undefined
    ? sentence
    : `${sentence.replace(/\.$/, '')}; plimsoll ${list} shows what there is.`
}
