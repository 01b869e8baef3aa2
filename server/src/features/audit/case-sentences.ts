/** Sentences of the audit log about product lines, and about cases of Article 14. */
import { lowerWords } from '../../formats/words.ts'
import { type ActTeller, tellAs } from './kinds.ts'
import {
  type Facts,
  joinTexts,
  listChanged,
  nameThe,
  type Part,
  readText,
  readTexts,
  write,
} from './telling.ts'

const inCase = tellAs('Case')
const theAdvisory = (it: Facts) => nameThe(it, 'security-advisory')
const theReport = (it: Facts) => nameThe(it, 'disclosure-report')
const theCase = (it: Facts) => nameThe(it, 'case')
const stage = ({ after }: Facts) => lowerWords(readText(after['stage'], 'report'))
const since = ({ after }: Facts) => readText(after['instant'], 'an unknown instant')

/** The reason, where there is one. */
const because = ({ after }: Facts): Part[] => {
  const text = after['reason'] ?? after['text']
  return typeof text === 'string' ? write`: ${text}` : []
}

export const CASE_SENTENCES = {
  'advisory-mail.refuse': inCase(
    (it) =>
      write`recorded that ${readText(it.after['address'], 'an address')} wants no more mails of advisories`,
  ),
  'advisory-mail.resubscribe': inCase(
    (it) =>
      write`resumed mails of advisories to ${readText(it.after['address'], 'an address')}${because(it)}`,
  ),
  'advisory-publisher.update': inCase(
    (it) => write`changed ${listChanged(it)} of how advisories are published`,
  ),
  'case.add-lines': inCase(
    (it) =>
      write`added ${joinTexts(readTexts(it.after['names']))} to the products of the case ${theCase(it)}`,
  ),
  'case.add-versions': inCase(
    (it) =>
      write`named ${joinTexts(readTexts(it.after['names']))} as affected, in the case ${theCase(it)}`,
  ),
  'case.answer': inCase(
    (it) =>
      write`answered ${readText(it.after['answer']).toLowerCase()} to whether it ${it.after['question'] === 'WasExploited' ? 'was' : 'can be'} exploited in the product, in the case ${theCase(it)}${because(it)}`,
  ),
  'case.close': inCase((it) => write`closed the case ${theCase(it)}${because(it)}`),
  'case.correct': inCase((it) =>
    it.after['isWithdrawn'] === true
      ? write`withdrew a fact of the case ${theCase(it)}${because(it)}`
      : write`corrected a fact of the case ${theCase(it)} to ${since(it)}${because(it)}`,
  ),
  'case.create': inCase((it) => write`began the case ${theCase(it)}`),
  'case.dismiss': inCase((it) => write`dismissed the case ${theCase(it)}${because(it)}`),
  'case.inform-users': inCase(
    (it) => write`recorded that users were informed at ${since(it)}, in the case ${theCase(it)}`,
  ),
  'case.invalidate-report': inCase(
    (it) =>
      write`recorded that the CSIRT did not accept the ${stage(it)} of the case ${theCase(it)}${because(it)}`,
  ),
  'case.not-inform-users': inCase(
    (it) => write`recorded why users are not informed, in the case ${theCase(it)}${because(it)}`,
  ),
  'case.propose': inCase((it) => write`proposed the case ${theCase(it)}`),
  'case.record-report': inCase(
    (it) => write`recorded the ${stage(it)} of ${since(it)} of the case ${theCase(it)}`,
  ),
  'case.remove-line': inCase(
    (it) =>
      write`removed ${joinTexts(readTexts(it.after['names']))} from the products of the case ${theCase(it)}${because(it)}`,
  ),
  'case.reopen': inCase((it) => write`reopened the case ${theCase(it)}${because(it)}`),
  'case.request-report': inCase(
    (it) =>
      write`recorded that the CSIRT asks for a report by ${since(it)}, in the case ${theCase(it)}`,
  ),
  'case.set-awareness': inCase(
    (it) =>
      write`set the instant of awareness of the case ${theCase(it)} to ${since(it)}${it.after['isEstimate'] === true ? ', an estimate' : ''}`,
  ),
  'case.set-measure': inCase(
    (it) => write`stated a measure of the case ${theCase(it)} since ${since(it)}`,
  ),
  'case.watch': inCase(
    (it) => write`set the next look at the case ${theCase(it)} to ${since(it)}${because(it)}`,
  ),
  'case.write-field': inCase(
    (it) =>
      write`wrote ${readText(it.after['field'], 'a field')} of the ${stage(it)} of the case ${theCase(it)}`,
  ),
  'disclosure-policy.update': inCase(
    (it) => write`changed ${listChanged(it)} of how reports from outside are taken`,
  ),
  'disclosure-report.add': inCase(
    (it) => write`took what was added from outside to the report ${theReport(it)}`,
  ),
  'disclosure-report.answer': inCase(
    (it) => write`answered whoever sent the report ${theReport(it)}`,
  ),
  'disclosure-report.credit': inCase((it) =>
    typeof it.after['text'] === 'string'
      ? write`credited the report ${theReport(it)} to ${it.after['text']}`
      : write`credited the report ${theReport(it)} to nobody`,
  ),
  'disclosure-report.disclose': inCase(
    (it) =>
      write`recorded that the report ${theReport(it)} was disclosed at ${since(it)}${because(it)}`,
  ),
  'disclosure-report.dismiss': inCase(
    (it) =>
      write`dismissed the report ${theReport(it)} as ${lowerWords(readText(it.after['as'], 'ended'))}${because(it)}`,
  ),
  'disclosure-report.embargo': inCase((it) =>
    typeof it.after['instant'] === 'string'
      ? write`set the embargo of the report ${theReport(it)} to ${since(it)}${because(it)}`
      : write`took back the embargo of the report ${theReport(it)}${because(it)}`,
  ),
  'disclosure-report.erase-contact': inCase(
    (it) => write`erased the contact of the report ${theReport(it)}${because(it)}`,
  ),
  'disclosure-report.join': inCase(
    (it) => write`let the report ${theReport(it)} join the case ${readText(it.after['caseTitle'])}`,
  ),
  'disclosure-report.note': inCase((it) => write`wrote a note on the report ${theReport(it)}`),
  'disclosure-report.propose': inCase(
    (it) =>
      write`proposed the case ${readText(it.after['caseTitle'])} of the report ${theReport(it)}`,
  ),
  'disclosure-report.receive': inCase((it) => write`took the report ${theReport(it)} from outside`),
  'disclosure-report.reopen': inCase(
    (it) => write`reopened the report ${theReport(it)}${because(it)}`,
  ),
  'evidence-key.create': inCase(() => write`made a new key that signs evidence bundles`),
  'evidence.create': inCase(
    (it) =>
      write`downloaded the evidence bundle of the product line ${nameThe(it, 'product-line')} until ${readText(it.after['to'], 'now')}`,
  ),
  'obligation.note': inCase(
    (it) =>
      write`wrote ${listChanged(it)} of what stays with people, at the point ${readText(it.after['topic'], 'of the law')}`,
  ),
  'product-line.create': inCase(
    (it) => write`created the product line ${nameThe(it, 'product-line')}`,
  ),
  'product-line.delete': inCase(
    (it) => write`deleted the product line ${nameThe(it, 'product-line')}`,
  ),
  'product-line.update': inCase(
    (it) => write`changed ${listChanged(it)} of the product line ${nameThe(it, 'product-line')}`,
  ),
  'security-advisory.create': inCase((it) => write`drafted the advisory ${theAdvisory(it)}`),
  'security-advisory.delete': inCase(
    (it) => write`deleted the draft of the advisory ${theAdvisory(it)}`,
  ),
  'security-advisory.publish': inCase(
    (it) =>
      write`published ${readText(it.after['trackingId'], 'an advisory')}, the advisory ${theAdvisory(it)}${because(it)}`,
  ),
  'security-advisory.update': inCase(
    (it) => write`changed ${listChanged(it)} of the advisory ${theAdvisory(it)}`,
  ),
  'security-advisory.withdraw': inCase(
    (it) =>
      write`withdrew ${readText(it.after['trackingId'], 'an advisory')}, the advisory ${theAdvisory(it)}${because(it)}`,
  ),
  'upstream-report.create': inCase(
    (it) =>
      write`recorded that ${readText(it.after['cveId'], 'a vulnerability')} in ${readText(it.after['component'], 'a component')} was reported to ${nameThe(it, 'upstream-report')}`,
  ),
  'upstream-report.delete': inCase(
    (it) => write`deleted the record of what was reported to ${nameThe(it, 'upstream-report')}`,
  ),
  'upstream-report.update': inCase(
    (it) =>
      write`changed ${listChanged(it)} of what was reported to ${nameThe(it, 'upstream-report')}`,
  ),
} satisfies Record<string, ActTeller>
