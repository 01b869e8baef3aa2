/** Walks the table: each action has an example, and its sentence is what people say. */
import { describe, expect, it } from 'vitest'
import { AUDIT_ACTIONS, type AuditAction } from './sentences.ts'
import { findSubjects, nameKey, type Subject, type SubjectKey } from './subjects.ts'
import { tellEntry } from './summary.ts'

const ID = '0199a1b2-0000-7000-8000-000000000001'
const OTHER = '0199a1b2-0000-7000-8000-000000000002'
const VERSION = '0199a1b2-0000-7000-8000-000000000003'
const COHORT = '0199a1b2-0000-7000-8000-000000000004'
const MARA = '0199a1b2-0000-7000-8000-000000000005'

const NAMES: Readonly<Record<string, string>> = {
  [`alert-incident:${ID}`]: 'CPU is warm',
  [`alert-rule:${ID}`]: 'CPU is warm',
  [`api-key:${ID}`]: 'ci-yocto',
  [`case:${ID}`]: 'CVE-2026-1 in busybox',
  [`customer:${ID}`]: 'Kraftwerk Nord',
  [`deployment:${ID}`]: 'gateway 4.5.0',
  [`deployment-cohort:${ID}`]: 'Gateways eu-west',
  [`deployment-cohort:${COHORT}`]: 'Gateways eu-west',
  [`device-issuer:${ID}`]: 'Factory 2026',
  [`device-key:${ID}`]: 'bench-3',
  [`disclosure-report:${ID}`]: 'A way in',
  [`firmware:${ID}`]: 'gateway',
  [`firmware-version:${ID}`]: 'gateway 4.1.0',
  [`firmware-version:${OTHER}`]: 'gateway 4.2.0',
  [`firmware-version:${VERSION}`]: 'gateway 4.1.0',
  [`member:${MARA}`]: 'Mara Lindqvist',
  [`member:${OTHER}`]: 'Vera Holm',
  [`product-line:${ID}`]: 'Gateway',
  [`security-advisory:${ID}`]: 'A flaw in the updater',
  [`standing-address:${ID}`]: 'Gateway, for everybody',
  [`supplier-feed:${ID}`]: 'Example Silicon',
  [`upstream-report:${ID}`]: 'security@upstream.example',
  [`notification-target:${ID}`]: 'ops',
  [`package-override:${ID}`]: 'busybox 1.36',
  [`webhook:${ID}`]: 'ops-chat',
}

interface Example {
  resource?: [string, string]
  before?: object
  after?: object
  about?: SubjectKey[]
  /** After "Mara Lindqvist ". */
  says: string
}

const CVES = ['CVE-2026-1', 'CVE-2026-2', 'CVE-2026-3']
const finding = { cveId: 'CVE-2026-1', component: 'busybox', version: '1.36' }
const inVersion: SubjectKey[] = [{ type: 'firmware-version', id: VERSION }]
const many: SubjectKey[] = [
  ...CVES.map((id) => ({ type: 'vulnerability' as const, id })),
  { type: 'firmware-version', id: ID },
  { type: 'firmware-version', id: OTHER },
]
const toCohort: SubjectKey[] = [{ type: 'deployment-cohort', id: COHORT }]
const deployment: [string, string] = ['deployment', ID]
const self: [string, string] = ['member', MARA]
const vera: [string, string] = ['member', OTHER]
const devices = ['pump-1', 'pump-2', 'pump-3']
const file = { firmwareVersionId: VERSION, fileName: 'image.spdx.json' }
const address: [string, string] = ['notification-address', 'ops@example.com']

const EXAMPLES: Record<AuditAction, Example> = {
  'acceptance.end': {
    after: { changed: 3, causes: { Time: 3 }, cveCount: 3, firmwareVersionCount: 2 },
    about: many,
    says: 'ended the acceptance of 3 findings of CVE-2026-1, CVE-2026-2 and 1 more in gateway 4.1.0 and gateway 4.2.0',
  },
  'acceptance.hand-over': {
    after: { changed: 3, owner: 'vera@example.com', cveCount: 3, firmwareVersionCount: 2 },
    about: many,
    says: 'gave the acceptance of 3 findings of CVE-2026-1, CVE-2026-2 and 1 more in gateway 4.1.0 and gateway 4.2.0 to vera@example.com',
  },
  'acceptance.renew': {
    after: { changed: 3, until: '2099-03-01T00:00:00.000Z', cveCount: 3, firmwareVersionCount: 2 },
    about: many,
    says: 'renewed the acceptance of 3 findings of CVE-2026-1, CVE-2026-2 and 1 more in gateway 4.1.0 and gateway 4.2.0, until 1 March 2099',
  },
  'alert-incident.acknowledge': {
    resource: ['alert-incident', ID],
    after: { note: 'The fan is due' },
    says: 'acknowledged the incident of the rule CPU is warm: The fan is due',
  },
  'alert-incident.assign': {
    resource: ['alert-incident', ID],
    after: { assignee: 'vera@example.com' },
    says: 'gave the incident of the rule CPU is warm to vera@example.com',
  },
  'alert-incident-batch.undo': {
    resource: ['alert-incident-batch', ID],
    after: { act: 'Acknowledge', restored: 2, left: 1 },
    says: 'took back the acknowledgement of 2 incidents; 1 incident had changed since',
  },
  'alert-incident.bulk-acknowledge': {
    resource: ['alert-incident-batch', ID],
    after: { matched: 3, changed: 1, note: 'The fan is due' },
    about: [{ type: 'alert-incident', id: ID }],
    says: 'acknowledged 1 incident (CPU is warm): The fan is due',
  },
  'alert-incident.bulk-assign': {
    resource: ['alert-incident-batch', ID],
    after: { matched: 1, changed: 1, assignee: 'vera@example.com' },
    about: [{ type: 'alert-incident', id: ID }],
    says: 'gave 1 incident (CPU is warm) to vera@example.com',
  },
  'alert-incident.bulk-silence': {
    resource: ['alert-incident-batch', ID],
    after: { changed: 1, covers: 'Series', until: '2026-08-22T09:30:00.000Z', reason: 'Filters' },
    about: [{ type: 'alert-incident', id: ID }],
    says: 'silenced what fired in 1 incident (CPU is warm) until 2026-08-22 09:30 UTC: Filters',
  },
  'alert-incident.end-silence': {
    resource: ['alert-incident', ID],
    before: { covers: 'Rule', until: '2026-08-22T09:30:00.000Z', reason: 'The fan is due' },
    says: 'ended the silence of the rule CPU is warm',
  },
  'alert-incident.note': {
    resource: ['alert-incident', ID],
    before: { note: null },
    after: { note: 'The fan is due' },
    says: 'noted on the incident of the rule CPU is warm: The fan is due',
  },
  'alert-incident.silence': {
    resource: ['alert-incident', ID],
    after: { covers: 'Series', until: '2026-08-22T09:30:00.000Z', reason: 'The fan is due' },
    says: 'silenced what fired in an incident of the rule CPU is warm until 2026-08-22 09:30 UTC: The fan is due',
  },
  'alert-incident.unacknowledge': {
    resource: ['alert-incident', ID],
    says: 'took back the acknowledgement of the incident of the rule CPU is warm',
  },
  'alert-rule.create': { resource: ['alert-rule', ID], says: 'created the alert rule CPU is warm' },
  'alert-rule.delete': { resource: ['alert-rule', ID], says: 'deleted the alert rule CPU is warm' },
  'alert-rule.disable': {
    resource: ['alert-rule', ID],
    says: 'switched off the alert rule CPU is warm',
  },
  'alert-rule.enable': {
    resource: ['alert-rule', ID],
    says: 'switched on the alert rule CPU is warm',
  },
  'alert-rule.update': {
    resource: ['alert-rule', ID],
    before: { name: 'CPU is warm', evaluationFrequency: 'Daily' },
    after: { name: 'CPU is warm', evaluationFrequency: 'Hourly' },
    says: 'changed evaluation frequency of the alert rule CPU is warm',
  },
  'api-key.create': {
    resource: ['api-key', ID],
    after: { scopes: ['Firmware: read', 'Firmware: write'] },
    says: 'made the key ci-yocto with 2 scopes',
  },
  'api-key.revoke': { resource: ['api-key', ID], says: 'revoked the key ci-yocto' },
  'advisory-mail.refuse': {
    resource: ['workspace', ID],
    after: { address: 'ann@example.com' },
    says: 'recorded that ann@example.com wants no more mails of advisories',
  },
  'advisory-mail.resubscribe': {
    resource: ['workspace', ID],
    after: { address: 'ann@example.com', reason: 'Asked by phone' },
    says: 'resumed mails of advisories to ann@example.com: Asked by phone',
  },
  'advisory-publisher.update': {
    resource: ['workspace', ID],
    before: { isPublic: false, prefix: 'PSIRT' },
    after: { isPublic: true, prefix: 'PSIRT' },
    says: 'changed is public of how advisories are published',
  },
  'disclosure-policy.update': {
    resource: ['workspace', ID],
    before: { isPublic: false, answerDays: 5 },
    after: { isPublic: true, answerDays: 5 },
    says: 'changed is public of how reports from outside are taken',
  },
  'disclosure-report.add': {
    resource: ['disclosure-report', ID],
    says: 'took what was added from outside to the report A way in',
  },
  'disclosure-report.answer': {
    resource: ['disclosure-report', ID],
    says: 'answered whoever sent the report A way in',
  },
  'disclosure-report.credit': {
    resource: ['disclosure-report', ID],
    after: { text: 'Ada' },
    says: 'credited the report A way in to Ada',
  },
  'disclosure-report.disclose': {
    resource: ['disclosure-report', ID],
    after: { instant: '2026-08-22T09:30:00.000Z' },
    says: 'recorded that the report A way in was disclosed at 2026-08-22T09:30:00.000Z',
  },
  'disclosure-report.dismiss': {
    resource: ['disclosure-report', ID],
    after: { as: 'Spam', text: 'An advertisement' },
    says: 'dismissed the report A way in as spam: An advertisement',
  },
  'disclosure-report.embargo': {
    resource: ['disclosure-report', ID],
    after: { instant: '2026-08-22T09:30:00.000Z', text: 'Agreed' },
    says: 'set the embargo of the report A way in to 2026-08-22T09:30:00.000Z: Agreed',
  },
  'disclosure-report.erase-contact': {
    resource: ['disclosure-report', ID],
    after: { name: 'A way in', text: 'Asked for by mail' },
    says: 'erased the contact of the report A way in: Asked for by mail',
  },
  'disclosure-report.join': {
    resource: ['disclosure-report', ID],
    after: { caseTitle: 'Root over the console' },
    says: 'let the report A way in join the case Root over the console',
  },
  'disclosure-report.note': {
    resource: ['disclosure-report', ID],
    says: 'wrote a note on the report A way in',
  },
  'disclosure-report.propose': {
    resource: ['disclosure-report', ID],
    after: { caseTitle: 'Root over the console' },
    says: 'proposed the case Root over the console of the report A way in',
  },
  'disclosure-report.receive': {
    resource: ['disclosure-report', ID],
    says: 'took the report A way in from outside',
  },
  'disclosure-report.reopen': {
    resource: ['disclosure-report', ID],
    after: { text: 'It can be repeated' },
    says: 'reopened the report A way in: It can be repeated',
  },
  'upstream-report.create': {
    resource: ['upstream-report', ID],
    after: { cveId: 'CVE-2026-1', component: 'busybox 1.36' },
    says: 'recorded that CVE-2026-1 in busybox 1.36 was reported to security@upstream.example',
  },
  'upstream-report.delete': {
    resource: ['upstream-report', ID],
    before: { cveId: 'CVE-2026-1' },
    says: 'deleted the record of what was reported to security@upstream.example',
  },
  'upstream-report.update': {
    resource: ['upstream-report', ID],
    before: { fix: null },
    after: { fix: 'A patch' },
    says: 'changed fix of what was reported to security@upstream.example',
  },
  'case.add-lines': {
    resource: ['case', ID],
    after: { names: ['Gateway', 'Pump'] },
    says: 'added Gateway and Pump to the products of the case CVE-2026-1 in busybox',
  },
  'case.add-versions': {
    resource: ['case', ID],
    after: { names: ['Gateway 1.0'] },
    says: 'named Gateway 1.0 as affected, in the case CVE-2026-1 in busybox',
  },
  'case.answer': {
    resource: ['case', ID],
    after: { question: 'CanBeExploited', answer: 'No', text: 'Not built in' },
    says: 'answered no to whether it can be exploited in the product, in the case CVE-2026-1 in busybox: Not built in',
  },
  'case.close': {
    resource: ['case', ID],
    after: { text: null },
    says: 'closed the case CVE-2026-1 in busybox',
  },
  'case.correct': {
    resource: ['case', ID],
    after: { instant: '2026-08-22T09:30:00.000Z', reason: 'The call was at eight' },
    says: 'corrected a fact of the case CVE-2026-1 in busybox to 2026-08-22T09:30:00.000Z: The call was at eight',
  },
  'case.create': {
    resource: ['case', ID],
    after: { type: 'Vulnerability' },
    says: 'began the case CVE-2026-1 in busybox',
  },
  'case.dismiss': {
    resource: ['case', ID],
    after: { text: 'Not built in' },
    says: 'dismissed the case CVE-2026-1 in busybox: Not built in',
  },
  'case.inform-users': {
    resource: ['case', ID],
    after: { instant: '2026-08-22T09:30:00.000Z', text: 'Mail' },
    says: 'recorded that users were informed at 2026-08-22T09:30:00.000Z, in the case CVE-2026-1 in busybox',
  },
  'case.invalidate-report': {
    resource: ['case', ID],
    after: { stage: 'EarlyWarning', text: 'Wrong CSIRT' },
    says: 'recorded that the CSIRT did not accept the early warning of the case CVE-2026-1 in busybox: Wrong CSIRT',
  },
  'case.not-inform-users': {
    resource: ['case', ID],
    after: { text: 'Nobody uses it' },
    says: 'recorded why users are not informed, in the case CVE-2026-1 in busybox: Nobody uses it',
  },
  'case.propose': {
    resource: ['case', ID],
    after: { listedOn: '2026-11-02' },
    says: 'proposed the case CVE-2026-1 in busybox',
  },
  'case.record-report': {
    resource: ['case', ID],
    after: { stage: 'Notification', instant: '2026-08-22T09:30:00.000Z' },
    says: 'recorded the notification of 2026-08-22T09:30:00.000Z of the case CVE-2026-1 in busybox',
  },
  'case.remove-line': {
    resource: ['case', ID],
    after: { names: ['Gateway'], text: 'It has another console' },
    says: 'removed Gateway from the products of the case CVE-2026-1 in busybox: It has another console',
  },
  'case.reopen': {
    resource: ['case', ID],
    after: { text: 'A new version' },
    says: 'reopened the case CVE-2026-1 in busybox: A new version',
  },
  'case.request-report': {
    resource: ['case', ID],
    after: { instant: '2026-08-22T09:30:00.000Z' },
    says: 'recorded that the CSIRT asks for a report by 2026-08-22T09:30:00.000Z, in the case CVE-2026-1 in busybox',
  },
  'case.set-awareness': {
    resource: ['case', ID],
    after: { instant: '2026-08-22T09:30:00.000Z', isEstimate: true },
    says: 'set the instant of awareness of the case CVE-2026-1 in busybox to 2026-08-22T09:30:00.000Z, an estimate',
  },
  'case.set-measure': {
    resource: ['case', ID],
    after: { instant: '2026-08-22T09:30:00.000Z' },
    says: 'stated a measure of the case CVE-2026-1 in busybox since 2026-08-22T09:30:00.000Z',
  },
  'case.watch': {
    resource: ['case', ID],
    after: { instant: '2026-08-22T09:30:00.000Z', text: null },
    says: 'set the next look at the case CVE-2026-1 in busybox to 2026-08-22T09:30:00.000Z',
  },
  'comment.create': { after: { cveId: 'CVE-2026-1', text: 'x' }, says: 'commented on CVE-2026-1' },
  'comment.delete': {
    before: { cveId: 'CVE-2026-1', text: 'x' },
    says: 'deleted a comment on CVE-2026-1',
  },
  'comment.update': {
    after: { cveId: 'CVE-2026-1', text: 'x' },
    says: 'changed a comment on CVE-2026-1',
  },
  'decision-batch.undo': {
    before: { act: 'Assess', assessment: 'FalsePositive', cveIds: CVES.slice(0, 2), cveCount: 9 },
    after: { restored: 1200, left: 1 },
    says: 'took back False positive from 1,200 findings of CVE-2026-1, CVE-2026-2 and 7 more; 1 finding had been decided since',
  },
  'deployment-cohort.create': {
    resource: ['deployment-cohort', ID],
    says: 'created the cohort Gateways eu-west',
  },
  'deployment-cohort.delete': {
    resource: ['deployment-cohort', ID],
    says: 'deleted the cohort Gateways eu-west',
  },
  'deployment-cohort.set-contacts': {
    resource: ['deployment-cohort', ID],
    before: { contacts: [] },
    after: { contacts: ['ann@example.com'] },
    says: 'changed the contacts for advisories of the cohort Gateways eu-west',
  },
  'deployment-cohort.set-devices': {
    resource: ['deployment-cohort', ID],
    before: { deviceCount: 0, removed: [] },
    after: { deviceCount: 3, added: devices },
    says: 'picked 3 devices for the cohort Gateways eu-west by hand: 3 more, 0 fewer',
  },
  'deployment-cohort.update': {
    resource: ['deployment-cohort', ID],
    before: { tagRule: null, logSeverity: null },
    after: { tagRule: { all: ['eu'] }, logSeverity: 'Debug' },
    says: 'changed tag rule and log severity of the cohort Gateways eu-west',
  },
  'deployment.begin-phase': {
    resource: deployment,
    about: toCohort,
    after: { phase: 1, percent: 50, released: 45 },
    says: 'began phase 2 of the deployment gateway 4.5.0 to Gateways eu-west: 50 %, 45 more devices',
  },
  'deployment.cancel': {
    resource: deployment,
    about: toCohort,
    says: 'cancelled the deployment gateway 4.5.0 to Gateways eu-west',
  },
  'deployment.create': {
    resource: deployment,
    after: { cohortId: COHORT, devices: 90 },
    says: 'started the deployment gateway 4.5.0 to Gateways eu-west, 90 devices',
  },
  'deployment.pause': { resource: deployment, says: 'paused the deployment gateway 4.5.0' },
  'deployment.resume': { resource: deployment, says: 'resumed the deployment gateway 4.5.0' },
  'deployment.update': {
    resource: deployment,
    before: { note: null, maxAttempts: 1 },
    after: { note: 'Slower', maxAttempts: 3 },
    says: 'changed note and max attempts of the deployment gateway 4.5.0',
  },
  'deployment.retry': {
    resource: deployment,
    after: { devices: 1 },
    says: 'let 1 failed device of the deployment gateway 4.5.0 try again',
  },
  'deployment.roll-back': {
    resource: deployment,
    after: { devices: 2 },
    says: 'rolled back with the deployment gateway 4.5.0, 2 devices',
  },
  'deployment.stop': {
    resource: deployment,
    after: { stateReason: '3 of 10 devices failed' },
    says: 'stopped the deployment gateway 4.5.0: 3 of 10 devices failed',
  },
  'device-batch.undo': {
    after: { act: 'Tag', restored: 3, left: 1 },
    about: devices.map((id) => ({ type: 'device', id })),
    says: 'took back a change of tags on 3 devices: pump-1, pump-2 and 1 more; 1 device had changed since',
  },
  'device-configuration.bulk-update': {
    after: { deviceIds: devices, logSeverity: 'Debug', total: 3 },
    says: 'set the log level of 3 devices: pump-1, pump-2 and 1 more to debug',
  },
  'device-configuration.update': {
    resource: ['device', 'pump-1'],
    after: { logSeverity: null },
    says: 'set the log level of the device pump-1 to that of the workspace',
  },
  'device-issuer.create': {
    resource: ['device-issuer', ID],
    after: { name: 'Factory 2026', subject: 'CN=Factory, O=Acme' },
    says: 'trusted certificates of devices that Factory 2026 (CN=Factory, O=Acme) issues',
  },
  'device-issuer.delete': {
    resource: ['device-issuer', ID],
    before: { name: 'Factory 2026', deviceCount: 12 },
    says: 'trusted Factory 2026 no more to issue certificates of devices',
  },
  'device-issuer.revoke-certificate': {
    resource: ['device-issuer', ID],
    after: { serial: '5c0ffee1', issuer: 'Factory 2026' },
    says: 'revoked the certificate 5c0ffee1 of Factory 2026',
  },
  'device-issuer.take-revocation-list': {
    resource: ['device-issuer', ID],
    after: { revokedCount: 12 },
    says: 'uploaded the revocation list of Factory 2026 with 12 certificates',
  },
  'device-issuer.update': {
    resource: ['device-issuer', ID],
    before: { name: 'Factory', acceptsAfterCrlEnd: false },
    after: { name: 'Factory', acceptsAfterCrlEnd: true },
    says: 'changed accepts after crl end of the issuer Factory 2026',
  },
  'device-key.ask-rotation': {
    resource: ['device', 'pump-1'],
    says: 'asked the device pump-1 to replace its key',
  },
  'device-key.bulk-ask-rotation': {
    after: { matched: 4, asked: 3, deviceIds: devices },
    says: 'asked 3 devices to replace their keys: pump-1, pump-2 and 1 more',
  },
  'device-key.cancel-rotation': {
    resource: ['device', 'pump-1'],
    says: 'asked the device pump-1 no more to replace its key',
  },
  'device-key.cancel-rotations': {
    after: { cancelled: 3, left: 1, deviceIds: devices },
    says: 'asked 3 devices no more to replace their keys: pump-1, pump-2 and 1 more',
  },
  'device-key.create': {
    resource: ['device-key', ID],
    after: { deviceId: null },
    says: 'made the device key bench-3 for all devices',
  },
  'device-key.fetch': {
    resource: ['device-key', ID],
    after: { deviceId: 'pump-1', endedKeyIds: [] },
    says: 'fetched its next key',
  },
  'device-key.revoke': {
    resource: ['device-key', ID],
    before: { deviceId: 'pump-1' },
    says: 'revoked the device key bench-3 of the device pump-1',
  },
  'device-key.rotate': {
    resource: ['device-key', ID],
    after: { deviceId: 'pump-1', endedKeyIds: [ID] },
    says: 'used its new key; 1 older key ended',
  },
  'device.bulk-delete': {
    after: { deleted: 2000, deviceIds: devices },
    says: 'deleted 2,000 devices: pump-1, pump-2 and 1,998 more',
  },
  'device.bulk-move': {
    resource: ['deployment-cohort', ID],
    after: { matched: 2, deviceIds: devices.slice(0, 2) },
    says: 'moved 2 devices: pump-1 and pump-2 to the cohort Gateways eu-west',
  },
  'device.bulk-tag': {
    after: { add: ['eu'], remove: ['test'], changed: 1, deviceIds: ['pump-1'] },
    says: 'added eu and removed test as tags on 1 device: pump-1',
  },
  'device.create': { resource: ['device', 'pump-1'], says: 'registered the device pump-1' },
  'device.delete': { resource: ['device', 'pump-1'], says: 'deleted the device pump-1' },
  'device.import': {
    after: { created: devices },
    says: 'registered 3 devices: pump-1, pump-2 and 1 more',
  },
  'device.update': {
    resource: ['device', 'pump-1'],
    before: { id: 'pump-1', description: null, tags: [] },
    after: { description: null, tags: ['eu'] },
    says: 'changed tags of the device pump-1',
  },
  'firmware-artifact.delete': {
    resource: ['firmware-version', ID],
    before: { fileName: 'image.swu' },
    says: 'deleted the update file image.swu of gateway 4.1.0',
  },
  'artifact-address.create': {
    resource: ['firmware-version', ID],
    after: { role: 'delta', endsAt: '2027-01-01T00:00:00.000Z', uses: 0 },
    says: 'made a standing address of the delta file of gateway 4.1.0',
  },
  'artifact-address.delete': {
    resource: ['firmware-version', ID],
    before: { role: 'delta', endsAt: '2027-01-01T00:00:00.000Z', uses: 1 },
    says: 'revoked a standing address of the delta file of gateway 4.1.0, used 1 time',
  },
  'artifact-signature.create': {
    resource: ['firmware-version', ID],
    after: { fileName: 'image.bin.minisig' },
    says: 'put the signature image.bin.minisig beside the update file of gateway 4.1.0',
  },
  'artifact-signature.delete': {
    resource: ['firmware-version', ID],
    before: { fileName: 'image.bin.minisig' },
    says: 'took away the signature image.bin.minisig of the update file of gateway 4.1.0',
  },
  'provenance-statement.create': {
    resource: ['firmware-version', ID],
    after: { fileName: 'image.intoto.json' },
    says: 'put the statement image.intoto.json beside the files of gateway 4.1.0',
  },
  'provenance-statement.delete': {
    resource: ['firmware-version', ID],
    before: { fileName: 'image.intoto.json' },
    says: 'deleted the statement image.intoto.json about the files of gateway 4.1.0',
  },
  'firmware-artifact.upload': {
    resource: ['firmware-version', ID],
    after: { fileName: 'image.swu' },
    says: 'uploaded the update file image.swu of gateway 4.1.0',
  },
  'firmware-version.create': {
    resource: ['firmware-version', ID],
    says: 'created the firmware version gateway 4.1.0',
  },
  'firmware-version.delete': {
    resource: ['firmware-version', ID],
    says: 'deleted the firmware version gateway 4.1.0',
  },
  'firmware-version.update': {
    resource: ['firmware-version', ID],
    before: { buildId: null },
    after: { buildId: 'b1' },
    says: 'changed build id of the firmware version gateway 4.1.0',
  },
  'firmware.create': { resource: ['firmware', ID], says: 'created the firmware gateway' },
  'firmware.delete': {
    resource: ['firmware', ID],
    before: { versions: ['4.1.0'] },
    says: 'deleted the firmware gateway with 1 version',
  },
  'firmware.licence-rules': {
    resource: ['firmware', ID],
    before: { rules: null },
    after: { rules: { allow: ['MIT'], deny: [], review: [], failOn: ['denied'] } },
    says: 'changed which licences may ship in the firmware gateway',
  },
  'firmware.lines': {
    resource: ['firmware', ID],
    before: { lines: [] },
    after: { lines: [{ name: '2.x LTS', patterns: ['^2\\.'] }], movedVersions: 3 },
    says: 'replaced the release lines of the firmware gateway, which moved 3 versions',
  },
  'firmware.update': {
    resource: ['firmware', ID],
    before: { description: null },
    after: { description: 'of the gateway' },
    says: 'changed description of the firmware gateway',
  },
  'invitation.create': {
    after: { email: 'vera@example.com', role: 'Viewer' },
    says: 'invited vera@example.com as Viewer',
  },
  'invitation.revoke': {
    before: { email: 'vera@example.com', role: 'Viewer' },
    says: 'revoked the invitation of vera@example.com as Viewer',
  },
  'invitation.send': {
    after: { email: 'vera@example.com', role: 'Viewer' },
    says: 'sent the invitation of vera@example.com again',
  },
  'member.add-passkey': {
    resource: self,
    after: { name: 'phone' },
    says: 'added the passkey phone',
  },
  'member.add-second-factor': { resource: self, says: 'added a second factor' },
  'member.change-role': {
    resource: vera,
    before: { role: 'Engineer' },
    after: { role: 'Viewer' },
    says: 'changed the role of Vera Holm from Engineer to Viewer',
  },
  'member.end-sessions': { resource: vera, says: 'ended sessions of Vera Holm' },
  'member.join': { resource: self, after: { role: 'Owner' }, says: 'joined as Owner' },
  'member.link-provider': {
    resource: self,
    after: { provider: 'Example' },
    says: 'linked the account at Example',
  },
  'member.refuse-terminal-login': {
    resource: self,
    after: { client: 'plimsoll', host: 'bench' },
    says: 'refused a login of plimsoll on bench',
  },
  'member.remove': { resource: vera, says: 'removed Vera Holm from the workspace' },
  'member.remove-passkey': {
    resource: self,
    before: { name: 'phone' },
    says: 'removed the passkey phone',
  },
  'member.remove-second-factor': { resource: self, says: 'removed a second factor' },
  'member.rename': {
    resource: self,
    before: { displayName: 'Mara' },
    after: { displayName: 'Mara Lindqvist' },
    says: 'changed a name from Mara to Mara Lindqvist',
  },
  'member.renew-recovery-codes': { resource: self, says: 'made new recovery codes' },
  'member.request-password-reset': { resource: self, says: 'asked to reset a password' },
  'member.reset': {
    resource: vera,
    after: { secondFactorsRemoved: true },
    says: 'made a link to reset the password of Vera Holm, and removed the second factors',
  },
  'member.set-password': { resource: self, says: 'set a password' },
  'member.set-proposal-mails': {
    resource: self,
    before: { proposalMails: true },
    after: { proposalMails: false },
    says: 'switched off the mails about proposals',
  },
  'member.set-weekly-mail': {
    resource: vera,
    after: { weeklyMail: null },
    says: 'switched off the weekly mail for Vera Holm',
  },
  'member.sign-in': {
    resource: self,
    after: { method: 'Passkey', address: '10.4.0.7' },
    says: 'signed in with a passkey from 10.4.0.7',
  },
  'member.sign-in-refused': {
    resource: vera,
    after: { method: 'SecondFactor' },
    says: 'was refused a sign-in as Vera Holm with a second factor',
  },
  'member.sign-out': { resource: self, says: 'signed out' },
  'member.unlink-provider': {
    resource: vera,
    says: 'removed the accounts at providers of Vera Holm',
  },
  'member.use-recovery-code': {
    resource: self,
    after: { recoveryCodesLeft: 1 },
    says: 'used a recovery code; 1 code left',
  },
  'notification-address.ask': {
    resource: address,
    says: 'asked the reader of ops@example.com to confirm the address',
  },
  'notification-address.confirm': {
    resource: address,
    says: 'confirmed the address ops@example.com',
  },
  'notification-address.unsubscribe': {
    resource: address,
    says: 'unsubscribed the address ops@example.com from notifications',
  },
  'notification-target.create': {
    resource: ['notification-target', ID],
    says: 'created the notification target ops',
  },
  'notification-target.delete': {
    resource: ['notification-target', ID],
    says: 'deleted the notification target ops',
  },
  'notification-target.test': {
    resource: ['notification-target', ID],
    says: 'sent a test mail to the notification target ops',
  },
  'notification-target.update': {
    resource: ['notification-target', ID],
    before: { state: 'Enabled' },
    after: { state: 'Disabled' },
    says: 'changed state of the notification target ops',
  },
  'notification.send-again': {
    resource: ['notification', ID],
    says: 'sent a notification again',
  },
  'package-override.create': {
    resource: ['package-override', ID],
    says: 'overrode what busybox 1.36 is',
  },
  'package-override.delete': {
    resource: ['package-override', OTHER],
    before: { selectedName: 'zlib', selectedVersion: null },
    says: 'deleted the override of zlib',
  },
  'package-override.update': {
    resource: ['package-override', ID],
    before: { ignored: false },
    after: { ignored: true },
    says: 'changed ignored of the override of busybox 1.36',
  },
  'support-statement.create': {
    resource: ['support-statement', ID],
    after: { name: 'acme-bsp', purl: null, endsOn: '2027-06-30' },
    says: 'stated the end of support of acme-bsp',
  },
  'support-statement.delete': {
    resource: ['support-statement', ID],
    before: { name: null, purl: 'pkg:generic/acme-sdk', endsOn: null },
    says: 'deleted the stated end of support of pkg:generic/acme-sdk',
  },
  'support-statement.update': {
    resource: ['support-statement', ID],
    before: { name: 'acme-bsp', endsOn: '2027-06-30' },
    after: { name: 'acme-bsp', endsOn: '2028-06-30' },
    says: 'changed ends on of the stated end of support of acme-bsp',
  },
  'case.write-field': {
    resource: ['case', ID],
    after: { field: 'summary', stage: 'EarlyWarning' },
    says: 'wrote summary of the early warning of the case CVE-2026-1 in busybox',
  },
  'customer.create': { resource: ['customer', ID], says: 'created the customer Kraftwerk Nord' },
  'customer.delete': { resource: ['customer', ID], says: 'deleted the customer Kraftwerk Nord' },
  'customer.update': {
    resource: ['customer', ID],
    before: { tag: null },
    after: { tag: 'nord' },
    says: 'changed tag of the customer Kraftwerk Nord',
  },
  'customer.view': {
    resource: ['customer', ID],
    after: { linkName: 'Security desk', uses: 12 },
    says: 'answered 12 requests of the customer Kraftwerk Nord by the link Security desk',
  },
  'customer-link.create': {
    resource: ['customer', ID],
    after: { linkName: 'Security desk', endsAt: '2027-11-30T00:00:00.000Z' },
    says: 'made the link Security desk for the customer Kraftwerk Nord, until 2027-11-30T00:00:00.000Z',
  },
  'customer-link.revoke': {
    resource: ['customer', ID],
    before: { linkName: 'Security desk' },
    says: 'revoked the link Security desk of the customer Kraftwerk Nord',
  },
  'standing-address.create': {
    resource: ['standing-address', ID],
    after: { isPublic: true },
    says: 'made the standing address Gateway, for everybody for everybody',
  },
  'standing-address.read': {
    resource: ['standing-address', ID],
    after: { linkName: 'Gateway, for everybody', uses: 1 },
    says: 'answered 1 request at the standing address Gateway, for everybody',
  },
  'standing-address.revoke': {
    resource: ['standing-address', ID],
    says: 'revoked the standing address Gateway, for everybody',
  },
  'security-advisory.create': {
    resource: ['security-advisory', ID],
    says: 'drafted the advisory A flaw in the updater',
  },
  'security-advisory.delete': {
    resource: ['security-advisory', ID],
    says: 'deleted the draft of the advisory A flaw in the updater',
  },
  'security-advisory.publish': {
    resource: ['security-advisory', ID],
    after: { trackingId: 'ACME-2026-0001', reason: 'First publication' },
    says: 'published ACME-2026-0001, the advisory A flaw in the updater: First publication',
  },
  'security-advisory.update': {
    resource: ['security-advisory', ID],
    before: { summary: 'Wait.' },
    after: { summary: 'Update.' },
    says: 'changed summary of the advisory A flaw in the updater',
  },
  'security-advisory.withdraw': {
    resource: ['security-advisory', ID],
    after: { trackingId: 'ACME-2026-0001', reason: 'Not ours' },
    says: 'withdrew ACME-2026-0001, the advisory A flaw in the updater: Not ours',
  },
  'evidence-key.create': {
    resource: ['evidence-key', ID],
    after: { fingerprint: 'ab12' },
    says: 'made a new key that signs evidence bundles',
  },
  'crash-build.delete-lines': {
    resource: ['crash-build', '4be1d0a7'],
    before: { lineCount: 12 },
    says: 'took back the lines of 12 addresses of the build 4be1d0a7',
  },
  'crash-build.put-lines': {
    resource: ['crash-build', '4be1d0a7'],
    after: { lineCount: 1, movedCount: 1 },
    says: 'uploaded the lines of 1 address of the build 4be1d0a7',
  },
  'crash-group.close': {
    resource: ['crash-group', ID],
    after: { title: 'watchdog in modem_poll', fixedIn: '2.4.1' },
    says: 'closed the crashes watchdog in modem_poll as mended in 2.4.1',
  },
  'crash-group.reopen': {
    resource: ['crash-group', ID],
    before: { fixedIn: '2.4.1' },
    after: { title: 'watchdog in modem_poll', version: '2.4.2' },
    says: 'opened the crashes watchdog in modem_poll again, as 2.4.2 crashed alike',
  },
  'trusted-key.create': {
    resource: ['trusted-key', ID],
    after: { name: 'Release key', kind: 'PublicKey' },
    says: 'trusted the public key Release key to sign images',
  },
  'trusted-key.delete': {
    resource: ['trusted-key', ID],
    before: { name: 'Release CA', kind: 'Certificate' },
    says: 'ended the trust in the certificate Release CA',
  },
  'trusted-key.update': {
    resource: ['trusted-key', ID],
    before: { name: 'Release key', purpose: null },
    after: { name: 'Release key', purpose: 'Gateways' },
    says: 'changed purpose of the trusted key Release key',
  },
  'evidence.create': {
    resource: ['product-line', ID],
    after: { from: null, to: '2026-11-01T00:00:00.000Z', fileCount: 12 },
    says: 'downloaded the evidence bundle of the product line Gateway until 2026-11-01T00:00:00.000Z',
  },
  'obligation.note': {
    resource: ['obligation', 'properties'],
    before: { responsible: null, topic: 'Properties of the device itself' },
    after: { responsible: 'Vera Holm', topic: 'Properties of the device itself' },
    says: 'wrote responsible of what stays with people, at the point Properties of the device itself',
  },
  'product-line.create': {
    resource: ['product-line', ID],
    says: 'created the product line Gateway',
  },
  'product-line.delete': {
    resource: ['product-line', ID],
    says: 'deleted the product line Gateway',
  },
  'product-line.update': {
    resource: ['product-line', ID],
    before: { memberStates: [], timeZone: 'UTC' },
    after: { memberStates: ['DE'], timeZone: 'UTC' },
    says: 'changed member states of the product line Gateway',
  },
  'request.refuse': {
    resource: ['workspace', ID],
    after: { count: 37, refused: [{ request: 'GET /settings', askedFor: OTHER }] },
    says: 'was refused 37 requests: GET /settings',
  },
  'sbom-signature.create': {
    resource: ['sbom', ID],
    after: { fileName: 'image.cdx.json.sig' },
    says: 'put the signature image.cdx.json.sig beside an SBOM',
  },
  'sbom-signature.delete': {
    resource: ['sbom', ID],
    before: { fileName: 'image.cdx.json.sig' },
    says: 'took away the signature image.cdx.json.sig of an SBOM',
  },
  'sbom.delete': {
    resource: ['sbom', ID],
    before: file,
    says: 'deleted the SBOM image.spdx.json of gateway 4.1.0',
  },
  'sbom.reparse': {
    resource: ['sbom', ID],
    after: file,
    says: 'had the SBOM image.spdx.json of gateway 4.1.0 read again',
  },
  'sbom.replace': {
    resource: ['sbom', ID],
    before: file,
    after: { replacedBy: OTHER },
    says: 'replaced the SBOM image.spdx.json of gateway 4.1.0 with a newer one',
  },
  'sbom.source-files.delete': {
    resource: ['sbom', ID],
    before: { firmwareVersionId: VERSION },
    says: 'deleted the list of source files of a component of gateway 4.1.0',
  },
  'sbom.source-files.replace': {
    resource: ['sbom', ID],
    after: { firmwareVersionId: VERSION, fileCount: 3120 },
    says: 'stated 3,120 source files of a component of gateway 4.1.0',
  },
  'sbom.upload': {
    resource: ['sbom', ID],
    after: file,
    says: 'added the SBOM image.spdx.json of gateway 4.1.0',
  },
  'saved-view.create': {
    resource: ['saved-view', ID],
    after: { name: 'Blind spots' },
    says: 'shared the view Blind spots',
  },
  'saved-view.delete': {
    resource: ['saved-view', ID],
    before: { name: 'Blind spots' },
    says: 'deleted the shared view Blind spots',
  },
  'saved-view.update': {
    resource: ['saved-view', ID],
    before: { name: 'Blind', isShared: true },
    after: { name: 'Blind spots', isShared: true },
    says: 'changed name of the shared view Blind spots',
  },
  'standing-decision.delete': {
    resource: ['standing-decision', ID],
    before: { vulnerabilityId: 'CVE-2026-1', componentName: 'busybox' },
    says: 'ended the decision for future findings of CVE-2026-1 in busybox',
  },
  'supplier-feed.apply': {
    resource: ['supplier-feed', ID],
    after: { firmwareVersionId: ID, name: 'Example Silicon', changes: 2 },
    about: [{ type: 'vulnerability', id: 'CVE-2026-1' }],
    says: 'decided 2 findings of gateway 4.1.0 as the supplier Example Silicon states',
  },
  'supplier-feed.withdraw': {
    resource: ['supplier-feed', ID],
    after: { firmwareVersionId: ID, name: 'Example Silicon', changes: 2 },
    about: [{ type: 'vulnerability', id: 'CVE-2026-1' }],
    says: 'took back what the supplier Example Silicon no longer states of 2 findings of gateway 4.1.0',
  },
  'supplier-feed.create': {
    resource: ['supplier-feed', ID],
    says: 'subscribed to the supplier Example Silicon',
  },
  'supplier-feed.delete': {
    resource: ['supplier-feed', ID],
    says: 'ended the subscription to the supplier Example Silicon',
  },
  'supplier-feed.update': {
    resource: ['supplier-feed', ID],
    before: { name: 'Example Silicon', url: 'https://psirt.example.com/' },
    after: { name: 'Example Silicon', url: 'https://psirt.example.org/' },
    says: 'changed url of the subscription to the supplier Example Silicon',
  },
  'terminal-login.approve': {
    resource: ['terminal-login', ID],
    after: { client: 'plimsoll', host: 'bench', scopes: ['Firmware: read'] },
    says: 'let plimsoll on bench log in with 1 scope',
  },
  'vex.accept': {
    resource: ['firmware-version', ID],
    about: [{ type: 'vulnerability', id: 'CVE-2026-1' }],
    after: { findingCount: 1 },
    says: 'accepted a VEX document for 1 finding of CVE-2026-1 in gateway 4.1.0',
  },
  'vex.delete': {
    resource: ['firmware-version', ID],
    before: { author: 'Nordic Modems' },
    says: 'deleted a VEX document of Nordic Modems of gateway 4.1.0',
  },
  'vex.import': {
    resource: ['firmware-version', ID],
    after: { author: null, statements: 2, changes: 1 },
    says: 'imported a VEX document into gateway 4.1.0: 2 statements, 1 change',
  },
  'vulnerability-finding.accept-statement': {
    before: { cveId: 'CVE-2026-1', assessment: 'Exploitable' },
    after: { assessment: 'NotAffected' },
    about: inVersion,
    says: 'accepted the VEX statement Not affected for CVE-2026-1 of gateway 4.1.0, in place of Exploitable',
  },
  'vulnerability-finding.assess': {
    before: { ...finding, assessment: 'InTriage' },
    after: { ...finding, assessment: 'FalsePositive' },
    about: inVersion,
    says: 'decided False positive for CVE-2026-1 in busybox 1.36 of gateway 4.1.0, in place of In triage',
  },
  'vulnerability-finding.bulk-assess': {
    about: many,
    after: {
      assessment: 'Exploitable',
      changed: 7,
      cveCount: 3,
      alsoFuture: true,
      assessments: [
        { assessment: 'NotAssessed', count: 5 },
        { assessment: 'FalsePositive', count: 2 },
      ],
    },
    says: 'decided Exploitable for 7 findings of CVE-2026-1, CVE-2026-2 and 1 more in gateway 4.1.0 and gateway 4.2.0, in place of Not assessed on 5 and False positive on 2, and for future findings',
  },
  'vulnerability-finding.bulk-ignore': {
    about: many,
    after: { ignored: false, changed: 2 },
    says: 'stopped ignoring 2 findings of CVE-2026-1, CVE-2026-2 and 1 more in gateway 4.1.0 and gateway 4.2.0',
  },
  'vulnerability-finding.bulk-repeat': {
    after: { changed: 2 },
    says: 'decided again as before for 2 findings of vulnerabilities whose names were not kept',
  },
  'vulnerability-finding.ignore': {
    before: finding,
    after: finding,
    about: inVersion,
    says: 'ignored CVE-2026-1 in busybox 1.36 of gateway 4.1.0',
  },
  'vulnerability-finding.propose': {
    after: { ...finding, assessment: 'NotAffected', reason: 'not built in' },
    about: inVersion,
    says: 'proposed Not affected for CVE-2026-1 in busybox 1.36 of gateway 4.1.0: not built in',
  },
  'vulnerability-finding.refuse-proposal': {
    after: { ...finding, assessment: 'NotAffected', proposedBy: 'assistant', refusal: 'it is' },
    about: inVersion,
    says: 'refused the proposal Not affected of assistant for CVE-2026-1 in busybox 1.36 of gateway 4.1.0: it is',
  },
  'vulnerability-finding.reopen-proposal': {
    after: { ...finding, assessment: 'NotAffected', proposedBy: 'assistant', state: 'Open' },
    about: inVersion,
    says: 'opened the refused proposal Not affected of assistant for CVE-2026-1 in busybox 1.36 of gateway 4.1.0 again',
  },
  'vulnerability-finding.take-proposal': {
    after: { ...finding, assessment: 'NotAffected', proposedBy: 'assistant', state: 'Changed' },
    about: inVersion,
    says: 'took, with changes, the proposal Not affected of assistant for CVE-2026-1 in busybox 1.36 of gateway 4.1.0',
  },
  'vulnerability-finding.unignore': {
    before: finding,
    after: finding,
    about: inVersion,
    says: 'stopped ignoring CVE-2026-1 in busybox 1.36 of gateway 4.1.0',
  },
  'vulnerability-source.import': {
    resource: ['source-import', ID],
    after: { fileName: 'nvd.zip' },
    says: 'carried in the file nvd.zip of a vulnerability source',
  },
  'vulnerability-source.sync': {
    resource: ['vulnerability-source', 'OSV'],
    says: 'asked to read the source OSV now',
  },
  'vulnerability.assign': {
    resource: ['vulnerability', 'CVE-2026-1'],
    before: { assignee: 'ines@example.com' },
    after: { assignee: 'vera@example.com' },
    says: 'gave CVE-2026-1 to vera@example.com, in place of ines@example.com',
  },
  'vulnerability.bulk-assign': {
    after: { assignee: null, cveIds: CVES, cveCount: 40 },
    says: 'gave CVE-2026-1, CVE-2026-2 and 38 more to nobody',
  },
  'webhook.create': { resource: ['webhook', ID], says: 'created the webhook ops-chat' },
  'webhook.delete': { resource: ['webhook', ID], says: 'deleted the webhook ops-chat' },
  'webhook.rotate-secret': {
    resource: ['webhook', ID],
    says: 'made a new secret for the webhook ops-chat',
  },
  'webhook.test': {
    resource: ['webhook', ID],
    says: 'sent a test message to the webhook ops-chat',
  },
  'webhook.update': {
    resource: ['webhook', ID],
    before: { url: 'https://a.example' },
    after: { url: 'https://b.example' },
    says: 'changed url of the webhook ops-chat',
  },
  'workspace.create': {
    after: { name: 'Harbour', owner: 'mara@example.com' },
    says: 'created the workspace Harbour for mara@example.com',
  },
  'workspace.limit': {
    after: { isReset: true, limits: { storedBytes: 1 } },
    says: 'set the limits of the workspace back and limited stored bytes',
  },
  'licence-rules.update': {
    resource: ['workspace', ID],
    before: { rules: { allow: ['MIT'], deny: [], review: [], failOn: ['denied'] } },
    after: { rules: null },
    says: 'deleted the licence rules',
  },
  'owner-rules.update': {
    resource: ['workspace', ID],
    before: { teams: [], rules: [] },
    after: {
      teams: [{ name: 'Boot', members: ['vera@example.com'] }],
      rules: [
        { components: ['u-boot*'], purls: [], files: [], firmwares: [], owner: 'Boot' },
        { components: [], purls: [], files: [], firmwares: ['gateway'], owner: 'vera@example.com' },
      ],
    },
    says: 'changed whom findings belong to: 2 rules and 1 team',
  },
  'ssvc.add-tree': {
    after: { tree: '1', name: 'Listed as exploited', version: '1.0.0' },
    says: 'added the SSVC tree Listed as exploited',
  },
  'ssvc.update': {
    before: { tree: 'Fleet' },
    after: { tree: 'Cisa' },
    says: 'changed tree of SSVC',
  },
  'workspace.update': {
    before: { releaseGate: 'Off' },
    after: { releaseGate: 'Warn' },
    says: 'changed release gate of the workspace',
  },
}

function tell(action: string, { resource = ['workspace', ID], ...entry }: Omit<Example, 'says'>) {
  const [resourceType, resourceId] = resource
  const actor = { type: 'User', id: MARA } as const
  const found = findSubjects({ actor, resourceType, resourceId, ...entry })
  const byType = Map.groupBy(found.map(withName), ({ type }) => type)
  const subjects = new Map(
    [...byType].map(([type, first]) => [type, { first, total: first.length }]),
  )
  const { before = null, after = null } = entry
  const by = { actorType: 'User', actorId: MARA, actorEmail: 'mara@example.com' } as const
  return tellEntry({ ...by, action, resourceType, resourceId, before, after, subjects })
}

const withName = (key: SubjectKey): Subject => ({
  ...key,
  name: NAMES[nameKey(key)] ?? (/^(device|vulnerability)$/.test(key.type) ? key.id : null),
})

const MACHINE_WORD = /[a-z][A-Z]|[0-9a-f]{8}-[0-9a-f]{4}-|\[object|undefined|null/

describe('the sentence of', () => {
  it.each(AUDIT_ACTIONS)('%s says who did what, without a word of machines', (action) => {
    const { says, ...example } = EXAMPLES[action]
    const { summary, parts, kind } = tell(action, example)
    expect(summary).toBe(`Mara Lindqvist ${says}`)
    expect(summary).not.toMatch(MACHINE_WORD)
    expect(parts.map(({ text }) => text).join('')).toBe(summary)
    expect(kind).not.toBeNull()
  })

  it('an entry whose subject has no name says its id, and that', () => {
    const { summary } = tell('alert-rule.delete', { resource: ['alert-rule', OTHER] })
    expect(summary).toBe(`Mara Lindqvist deleted the alert rule ${OTHER} (its name was not kept)`)
  })

  it('an action of another release says that', () => {
    expect(tell('mast.climb', {})).toMatchObject({
      kind: null,
      summary: 'Mara Lindqvist did what this release has no words for (mast.climb)',
    })
  })

  it('a refusal never names the workspace that a key asked for', () => {
    const { subjects } = tell('request.refuse', EXAMPLES['request.refuse'])
    expect(JSON.stringify(subjects)).not.toContain(OTHER)
  })
})
