/** Sentences of the audit log about what people decide and say about vulnerabilities. */
import { type ActTeller, tellAs } from './kinds.ts'
import { type Acceptance, formatAcceptanceDay } from '../../formats/acceptances.ts'
import { formatWords } from '../../formats/words.ts'
import {
  addLead,
  formatCounted,
  joinTexts,
  list,
  listChanged,
  write,
  readText,
  nameThe,
  type Facts,
  type Part,
} from './telling.ts'

const decision = tellAs('Decision')
const discussion = tellAs('Discussion')
const source = tellAs('Source')

export const DECISION_SENTENCES = {
  'acceptance.end': decision(
    (it) =>
      write`ended the acceptance of ${formatCounted(it.after['changed'], 'finding')} of ${findingsOf(it)}`,
  ),
  'acceptance.hand-over': decision(
    (it) =>
      write`gave the acceptance of ${formatCounted(it.after['changed'], 'finding')} of ${findingsOf(it)} to ${readText(it.after['owner'], 'nobody')}`,
  ),
  'acceptance.renew': decision(
    (it) =>
      write`renewed the acceptance of ${formatCounted(it.after['changed'], 'finding')} of ${findingsOf(it)}${terms({ ...it, after: { acceptance: it.after } })}`,
  ),
  'comment.create': discussion((it) => write`commented on ${nameThe(it, 'vulnerability')}`),
  'comment.delete': discussion((it) => write`deleted a comment on ${nameThe(it, 'vulnerability')}`),
  'comment.update': discussion((it) => write`changed a comment on ${nameThe(it, 'vulnerability')}`),
  'decision-batch.undo': decision(tellUndone),
  'standing-decision.delete': decision(
    (it) =>
      write`ended the decision for future findings of ${nameThe(it, 'vulnerability')}${inComponent(it.before['componentName'])}${inLine(it.before['lineId'])}`,
  ),
  'supplier-feed.apply': decision(
    (it) =>
      write`decided ${formatCounted(it.after['changes'], 'finding')} of ${nameThe(it, 'firmware-version')} as the supplier ${nameThe(it, 'supplier-feed')} states`,
  ),
  'supplier-feed.withdraw': decision(
    (it) =>
      write`took back what the supplier ${nameThe(it, 'supplier-feed')} no longer states of ${formatCounted(it.after['changes'], 'finding')} of ${nameThe(it, 'firmware-version')}`,
  ),
  'supplier-feed.create': source(
    (it) => write`subscribed to the supplier ${nameThe(it, 'supplier-feed')}`,
  ),
  'supplier-feed.delete': source(
    (it) => write`ended the subscription to the supplier ${nameThe(it, 'supplier-feed')}`,
  ),
  'supplier-feed.update': source(
    (it) =>
      write`changed ${listChanged(it)} of the subscription to the supplier ${nameThe(it, 'supplier-feed')}`,
  ),
  'vex.accept': decision(
    (it) =>
      write`accepted a VEX document for ${formatCounted(it.after['findingCount'], 'finding')} of ${findingsOf(it)}`,
  ),
  'vex.delete': decision(
    (it) =>
      write`deleted a VEX document${byAuthor(it.before)} of ${nameThe(it, 'firmware-version')}`,
  ),
  'vex.import': decision(
    (it) =>
      write`imported a VEX document${byAuthor(it.after)} into ${nameThe(it, 'firmware-version')}: ${formatCounted(it.after['statements'], 'statement')}, ${formatCounted(it.after['changes'], 'change')}`,
  ),
  'vulnerability-finding.accept-statement': decision(
    (it) =>
      write`accepted the VEX statement ${formatWords(it.after['assessment'])} for ${findingOf(it)}, in place of ${formatWords(it.before['assessment'])}`,
  ),
  'vulnerability-finding.assess': decision(tellAssessed),
  'vulnerability-finding.bulk-assess': decision(
    (it) =>
      write`decided ${formatWords(it.after['assessment'])} for ${formatCounted(it.after['changed'], 'finding')} of ${findingsOf(it)}${inPlaceOf(it)}${future(it)}`,
  ),
  'vulnerability-finding.bulk-ignore': decision(
    (it) =>
      write`${it.after['ignored'] === false ? 'stopped ignoring' : 'ignored'} ${formatCounted(it.after['changed'], 'finding')} of ${findingsOf(it)}${terms(it)}${future(it)}`,
  ),
  'vulnerability-finding.bulk-repeat': decision(
    (it) =>
      write`decided again as before for ${formatCounted(it.after['changed'], 'finding')} of ${findingsOf(it)}${terms(it)}`,
  ),
  'vulnerability-finding.ignore': decision((it) => write`ignored ${findingOf(it)}${terms(it)}`),
  'vulnerability-finding.propose': decision(
    (it) =>
      write`proposed ${formatWords(it.after['assessment'])} for ${findingOf(it)}${because(it)}`,
  ),
  'vulnerability-finding.refuse-proposal': decision(
    (it) =>
      write`refused the proposal ${formatWords(it.after['assessment'])} of ${readText(it.after['proposedBy'], 'somebody')} for ${findingOf(it)}: ${readText(it.after['refusal'])}`,
  ),
  'vulnerability-finding.reopen-proposal': decision(
    (it) =>
      write`opened the refused proposal ${formatWords(it.after['assessment'])} of ${readText(it.after['proposedBy'], 'somebody')} for ${findingOf(it)} again`,
  ),
  'vulnerability-finding.take-proposal': decision(
    (it) =>
      write`took${it.after['state'] === 'Changed' ? ', with changes,' : ''} the proposal ${formatWords(it.after['assessment'])} of ${readText(it.after['proposedBy'], 'somebody')} for ${findingOf(it)}`,
  ),
  'vulnerability-finding.unignore': decision((it) => write`stopped ignoring ${findingOf(it)}`),
  'vulnerability.assign': discussion(
    (it) =>
      write`gave ${nameThe(it, 'vulnerability')} to ${assignee(it)}${it.before['assignee'] ? `, in place of ${readText(it.before['assignee'])}` : ''}`,
  ),
  'vulnerability.bulk-assign': discussion(
    (it) => write`gave ${list(it, 'vulnerability', it.after['cveCount'])} to ${assignee(it)}`,
  ),
} satisfies Record<string, ActTeller>

/** ", until 1 March 2027, looked after by ann@example.com: not reachable" */
function terms({ after }: Facts): string {
  const { acceptance } = after as { acceptance?: Partial<Acceptance> | null }
  if (!acceptance) return ''
  const { until, owner, reason, ended } = acceptance
  const end = until ? `, until ${formatAcceptanceDay(until)}` : ''
  const by = owner ? `, looked after by ${owner.email}` : ''
  const over = ended ? '; that ended at once' : ''
  return `${end}${by}${reason ? `: ${reason}` : ''}${over}`
}

const because = ({ after: { reason } }: Facts) =>
  typeof reason === 'string' && reason !== '' ? `: ${reason}` : ''

const byAuthor = ({ author }: Facts['after']) =>
  typeof author === 'string' && author !== '' ? ` of ${author}` : ''

const inLine = (id: unknown) => (typeof id === 'string' ? ' in a release line' : '')

const inComponent = (name: unknown) => (typeof name === 'string' ? ` in ${name}` : '')

/** "CVE-1 and CVE-2 in gateway 4.1.0, gateway 4.2.0 and 3 more" */
const findingsOf = (it: Facts): Part[] => {
  const vulnerabilities = list(it, 'vulnerability', it.after['cveCount'])
  const versions = list(it, 'firmware-version', it.after['firmwareVersionCount'])
  if (vulnerabilities.length === 0)
    return versions.length === 0 ? write`vulnerabilities whose names were not kept` : versions
  return write`${vulnerabilities}${addLead(' in ', versions)}`
}

/** "CVE-1 in busybox 1.36 of gateway 4.1.0" */
const findingOf = (it: Facts): Part[] => {
  const { component, version } = { ...it.before, ...it.after } as Facts['after']
  const named = [component, version].filter((one) => typeof one === 'string').join(' ')
  return write`${nameThe(it, 'vulnerability')}${named === '' ? '' : ` in ${named}`}${addLead(' of ', list(it, 'firmware-version'))}`
}

function tellAssessed(it: Facts): Part[] {
  const { assessment: old } = it.before
  const { assessment } = it.after
  const change =
    old === assessment || old === 'NotAssessed' ? '' : `, in place of ${formatWords(old)}`
  return write`decided ${formatWords(assessment)} for ${findingOf(it)}${change}`
}

/** "in place of Exploitable on 2 and Not assessed on 5" */
function inPlaceOf({ after }: Facts): string {
  const counts = Array.isArray(after['assessments']) ? (after['assessments'] as unknown[]) : []
  const former = counts.flatMap((one) => {
    const { assessment, count: findings } = one as { assessment?: unknown; count?: unknown }
    return assessment === after['assessment']
      ? []
      : [`${formatWords(assessment)} on ${String(findings)}`]
  })
  return former.length === 0 ? '' : `, in place of ${joinTexts(former)}`
}

const future = ({ after }: Facts) =>
  after['alsoFuture'] === true
    ? `, and for future findings${inLine(after['assessedLineId'] ?? after['ignoredLineId'])}`
    : ''

const ACTS: Readonly<Record<string, string>> = {
  HandOver: 'the handing over of acceptances',
  Renew: 'the renewal of acceptances',
  Assess: 'a decision',
  Ignore: 'an ignore',
  Repeat: 'repeated decisions',
  Unignore: 'the end of an ignore',
}

function tellUndone(it: Facts): Part[] {
  const { act, assessment, cveCount } = it.before
  const what =
    typeof assessment === 'string' ? formatWords(assessment) : (ACTS[readText(act)] ?? 'a decision')
  const kept = it.after['left']
  const others =
    typeof kept === 'number' && kept > 0
      ? `; ${formatCounted(kept, 'finding')} had been decided since`
      : ''
  const vulnerabilities = list(it, 'vulnerability', cveCount)
  return write`took back ${what} from ${formatCounted(it.after['restored'], 'finding')}${addLead(' of ', vulnerabilities)}${others}`
}

const assignee = ({ after }: Facts) => readText(after['assignee'], 'nobody')
