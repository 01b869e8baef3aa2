/** Sentences of the audit log about devices, deployments and alerts. */
import { type ActTeller, tellAs } from './kinds.ts'
import { lowerWords } from '../../formats/words.ts'
import {
  addLead,
  listChanged,
  formatCounted,
  joinTexts,
  list,
  write,
  readText,
  readTexts,
  nameThe,
  type Facts,
  type Part,
} from './telling.ts'

const device = tellAs('Device')
const deployment = tellAs('Deployment')
const alert = tellAs('Alert')
const key = tellAs('Key')

/** As they were called then: lines that are uploaded later give them other names. */
const nameCrash = (it: Facts): Part[] => [
  { text: readText(it.after['title']), subject: { type: 'crash-group', id: it.resourceId } },
]

export const FLEET_SENTENCES = {
  'crash-build.delete-lines': device(
    (it) =>
      write`took back the lines of ${formatCounted(it.before['lineCount'], 'address', 'addresses')} of the build ${it.resourceId}`,
  ),
  'crash-build.put-lines': device(
    (it) =>
      write`uploaded the lines of ${formatCounted(it.after['lineCount'], 'address', 'addresses')} of the build ${it.resourceId}`,
  ),
  'crash-group.close': device(
    (it) =>
      write`closed the crashes ${nameCrash(it)} as mended in ${readText(it.after['fixedIn'])}`,
  ),
  'crash-group.reopen': device((it) =>
    typeof it.after['version'] === 'string'
      ? write`opened the crashes ${nameCrash(it)} again, as ${it.after['version']} crashed alike`
      : write`opened the crashes ${nameCrash(it)} again`,
  ),
  'alert-incident-batch.undo': alert(
    (it) =>
      write`took back ${INCIDENT_ACTS[readText(it.after['act'], '')] ?? 'a change'} of ${formatCounted(it.after['restored'], 'incident')}${left(it.after['left'], 'incident')}`,
  ),
  'alert-incident.acknowledge': alert(
    (it) =>
      write`acknowledged the incident of the rule ${nameThe(it, 'alert-incident')}${noted(it)}`,
  ),
  'alert-incident.assign': alert(
    (it) =>
      write`gave the incident of the rule ${nameThe(it, 'alert-incident')} to ${readText(it.after['assignee'], 'nobody')}`,
  ),
  'alert-incident.bulk-acknowledge': alert(
    (it) => write`acknowledged ${changedIncidents(it)}${noted(it)}`,
  ),
  'alert-incident.bulk-assign': alert(
    (it) => write`gave ${changedIncidents(it)} to ${readText(it.after['assignee'], 'nobody')}`,
  ),
  'alert-incident.bulk-silence': alert(
    (it) =>
      write`silenced ${it.after['covers'] === 'Rule' ? 'the rules of ' : 'what fired in '}${changedIncidents(it)} until ${formatEnd(it.after)}: ${readText(it.after['reason'], 'no reason was kept')}`,
  ),
  'alert-incident.end-silence': alert(
    (it) =>
      write`ended the silence of ${whatFired(it.before)}the rule ${nameThe(it, 'alert-incident')}`,
  ),
  'alert-incident.note': alert((it) =>
    it.after['note'] === null
      ? write`took back the note on the incident of the rule ${nameThe(it, 'alert-incident')}`
      : write`noted on the incident of the rule ${nameThe(it, 'alert-incident')}${noted(it)}`,
  ),
  'alert-incident.silence': alert(
    (it) =>
      write`silenced ${whatFired(it.after)}the rule ${nameThe(it, 'alert-incident')} until ${formatEnd(it.after)}: ${readText(it.after['reason'], 'no reason was kept')}`,
  ),
  'alert-incident.unacknowledge': alert(
    (it) =>
      write`took back the acknowledgement of the incident of the rule ${nameThe(it, 'alert-incident')}`,
  ),
  'alert-rule.create': alert((it) => write`created the alert rule ${nameThe(it, 'alert-rule')}`),
  'alert-rule.delete': alert((it) => write`deleted the alert rule ${nameThe(it, 'alert-rule')}`),
  'alert-rule.disable': alert(
    (it) => write`switched off the alert rule ${nameThe(it, 'alert-rule')}`,
  ),
  'alert-rule.enable': alert(
    (it) => write`switched on the alert rule ${nameThe(it, 'alert-rule')}`,
  ),
  'alert-rule.update': alert(
    (it) => write`changed ${listChanged(it)} of the alert rule ${nameThe(it, 'alert-rule')}`,
  ),
  'deployment-cohort.create': deployment(
    (it) => write`created the cohort ${nameThe(it, 'deployment-cohort')}`,
  ),
  'deployment-cohort.delete': deployment(
    (it) => write`deleted the cohort ${nameThe(it, 'deployment-cohort')}`,
  ),
  'deployment-cohort.set-contacts': deployment(
    (it) =>
      write`changed the contacts for advisories of the cohort ${nameThe(it, 'deployment-cohort')}`,
  ),
  'deployment-cohort.set-devices': deployment(tellPicked),
  'deployment-cohort.update': deployment(
    (it) => write`changed ${listChanged(it)} of the cohort ${nameThe(it, 'deployment-cohort')}`,
  ),
  'deployment.begin-phase': deployment(tellPhase),
  'deployment.cancel': deployment((it) => write`cancelled ${theDeployment(it)}`),
  'deployment.create': deployment(
    (it) => write`started ${theDeployment(it)}, ${formatCounted(it.after['devices'], 'device')}`,
  ),
  'deployment.pause': deployment((it) => write`paused ${theDeployment(it)}`),
  'deployment.resume': deployment((it) => write`resumed ${theDeployment(it)}`),
  'deployment.retry': deployment(
    (it) =>
      write`let ${formatCounted(it.after['devices'], 'failed device')} of ${theDeployment(it)} try again`,
  ),
  'deployment.roll-back': deployment(
    (it) =>
      write`rolled back with ${theDeployment(it)}, ${formatCounted(it.after['devices'], 'device')}`,
  ),
  'deployment.stop': deployment(
    (it) =>
      write`stopped ${theDeployment(it)}: ${readText(it.after['stateReason'], 'the reason was not kept')}`,
  ),
  'deployment.update': deployment(
    (it) => write`changed ${listChanged(it)} of ${theDeployment(it)}`,
  ),
  'device-batch.undo': device(
    (it) =>
      write`took back a change of ${it.after['act'] === 'Move' ? 'cohorts' : 'tags'} on ${formatCounted(it.after['restored'], 'device')}${ofDevices(it)}${left(it.after['left'], 'device')}`,
  ),
  'device-configuration.bulk-update': device(
    (it) =>
      write`set the log level of ${formatCounted(it.after['total'], 'device')}${ofDevices(it)} to ${logLevel(it)}`,
  ),
  'device-configuration.update': device(
    (it) => write`set the log level of the device ${nameThe(it, 'device')} to ${logLevel(it)}`,
  ),
  'device-key.ask-rotation': key(
    (it) => write`asked the device ${nameThe(it, 'device')} to replace its key`,
  ),
  'device-key.bulk-ask-rotation': key(
    (it) =>
      write`asked ${formatCounted(it.after['asked'], 'device')} to replace their keys${ofDevices(it)}`,
  ),
  'device-key.cancel-rotation': key(
    (it) => write`asked the device ${nameThe(it, 'device')} no more to replace its key`,
  ),
  'device-key.cancel-rotations': key(
    (it) =>
      write`asked ${formatCounted(it.after['cancelled'], 'device')} no more to replace their keys${ofDevices(it)}`,
  ),
  'device-key.fetch': key(() => write`fetched its next key`),
  'device-key.rotate': key(
    (it) =>
      write`used its new key; ${formatCounted(readTexts(it.after['endedKeyIds']).length, 'older key')} ended`,
  ),
  'device.bulk-delete': device(
    (it) => write`deleted ${formatCounted(it.after['deleted'], 'device')}${ofDevices(it)}`,
  ),
  'device.bulk-move': device(
    (it) =>
      write`moved ${formatCounted(it.after['matched'], 'device')}${ofDevices(it)} to ${cohortOrRules(it)}`,
  ),
  'device.bulk-tag': device(
    (it) =>
      write`${tagging(it)} on ${formatCounted(it.after['changed'], 'device')}${ofDevices(it)}`,
  ),
  'device.create': device((it) => write`registered the device ${nameThe(it, 'device')}`),
  'device.delete': device((it) => write`deleted the device ${nameThe(it, 'device')}`),
  'device.import': device(
    (it) =>
      write`registered ${formatCounted(readTexts(it.after['created']).length, 'device')}${ofDevices(it)}`,
  ),
  'device.update': device(
    (it) => write`changed ${listChanged(it)} of the device ${nameThe(it, 'device')}`,
  ),
  'notification-address.ask': alert(
    (it) => write`asked the reader of ${it.resourceId} to confirm the address`,
  ),
  'notification-address.confirm': alert((it) => write`confirmed the address ${it.resourceId}`),
  'notification-address.unsubscribe': alert(
    (it) => write`unsubscribed the address ${it.resourceId} from notifications`,
  ),
  'notification-target.create': alert(
    (it) => write`created the notification target ${nameThe(it, 'notification-target')}`,
  ),
  'notification-target.delete': alert(
    (it) => write`deleted the notification target ${nameThe(it, 'notification-target')}`,
  ),
  'notification-target.test': alert(
    (it) =>
      write`sent a test mail to the notification target ${nameThe(it, 'notification-target')}`,
  ),
  'notification-target.update': alert(
    (it) =>
      write`changed ${listChanged(it)} of the notification target ${nameThe(it, 'notification-target')}`,
  ),
  'notification.send-again': alert(() => write`sent a notification again`),
  'webhook.create': alert((it) => write`created the webhook ${nameThe(it, 'webhook')}`),
  'webhook.delete': alert((it) => write`deleted the webhook ${nameThe(it, 'webhook')}`),
  'webhook.rotate-secret': alert(
    (it) => write`made a new secret for the webhook ${nameThe(it, 'webhook')}`,
  ),
  'webhook.test': alert(
    (it) => write`sent a test message to the webhook ${nameThe(it, 'webhook')}`,
  ),
  'webhook.update': alert(
    (it) => write`changed ${listChanged(it)} of the webhook ${nameThe(it, 'webhook')}`,
  ),
} satisfies Record<string, ActTeller>

const INCIDENT_ACTS: Readonly<Record<string, string>> = {
  Acknowledge: 'the acknowledgement',
  Assign: 'the assignment',
  Silence: 'the silence',
}

/** `3 incidents (CPU is warm, …)` */
const changedIncidents = (it: Facts) =>
  write`${formatCounted(it.after['changed'], 'incident')} (${list(it, 'alert-incident', it.after['changed'])})`

const noted = ({ after }: Facts) => (typeof after['note'] === 'string' ? `: ${after['note']}` : '')

const whatFired = (silence: Facts['after']) =>
  silence['covers'] === 'Rule' ? '' : 'what fired in an incident of '

/** `2026-08-22 09:30 UTC` */
const formatEnd = (silence: Facts['after']) =>
  `${readText(silence['until'], '').slice(0, 16).replace('T', ' ')} UTC`

const theDeployment = (it: Facts) =>
  write`the deployment ${nameThe(it, 'deployment')}${addLead(' to ', list(it, 'deployment-cohort'))}`

const ofDevices = (it: Facts) => addLead(': ', list(it, 'device', countOfDevices(it)))

function countOfDevices({ after }: Facts): unknown {
  return (
    after['asked'] ?? after['cancelled'] ?? after['deleted'] ?? after['matched'] ?? after['total']
  )
}

const cohortOrRules = (it: Facts) =>
  it.resourceType === 'deployment-cohort'
    ? write`the cohort ${nameThe(it, 'deployment-cohort')}`
    : write`the cohorts of the tag rules`

const logLevel = (it: Facts) => lowerWords(it.after['logSeverity'], 'that of the workspace')

const left = (value: unknown, noun: string) =>
  typeof value === 'number' && value > 0 ? `; ${formatCounted(value, noun)} had changed since` : ''

function tellPicked(it: Facts): Part[] {
  const picked = formatCounted(it.after['deviceCount'], 'device')
  const added = readTexts(it.after['added']).length
  const removed = readTexts(it.before['removed']).length
  return write`picked ${picked} for the cohort ${nameThe(it, 'deployment-cohort')} by hand: ${added} more, ${removed} fewer`
}

function tellPhase(it: Facts): Part[] {
  const { phase, percent, released } = it.after
  const number = typeof phase === 'number' ? phase + 1 : 'unknown'
  return write`began phase ${number} of ${theDeployment(it)}: ${typeof percent === 'number' ? percent : 'an unknown share'} %, ${formatCounted(released, 'more device', 'more devices')}`
}

function tagging({ after }: Facts): string {
  const add = readTexts(after['add'])
  const remove = readTexts(after['remove'])
  const added = add.length > 0 ? `added ${joinTexts(add)}` : ''
  const removed = remove.length > 0 ? `removed ${joinTexts(remove)}` : ''
  return `${[added, removed].filter(Boolean).join(' and ')} as ${add.length + remove.length === 1 ? 'tag' : 'tags'}`
}
