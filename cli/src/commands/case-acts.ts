/** What people state about a case. */
import type { Command } from 'commander'
import {
  type Case,
  CASE_ANSWER,
  CASE_QUESTION,
  MEASURE_KIND,
} from '../../../api-client/src/index.ts'
import { CASE, openCase, withCase } from '../case-named.ts'
import { printDone } from '../done.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { formatTime, parseInstant, parseLaterInstant } from '../instant.ts'
import { readOneOf } from '../option-values.ts'
import type { ConnectionOptions } from '../session.ts'
import { findLine } from './product-line.ts'

interface Stated extends ConnectionOptions {
  reason?: string
}

const readPast = (text: string) => parseInstant(text)
const readLater = (text: string) => parseLaterInstant(text)
const REASON = ['--reason <text>', 'why'] as const

export function addCaseActs(command: Command): void {
  withCase(command.command('aware'))
    .description('Set the instant of awareness: the clocks count from it')
    .requiredOption('--at <time>', 'a time, or a duration ago: 2h', readPast)
    .option('--estimate', 'it is not known exactly')
    .option(...REASON)
    .action(setAwareness)
  withCase(command.command('answer'))
    .description('Answer whether it can be exploited, or was exploited, in the product')
    .requiredOption('--question <question>', CASE_QUESTION.join(', '), readOneOf(CASE_QUESTION))
    .requiredOption('--answer <answer>', CASE_ANSWER.join(', '), readOneOf(CASE_ANSWER))
    .option(...REASON)
    .action(answerQuestion)
  withCase(command.command('watch'))
    .description('Watch a case without a clock, until a next look')
    .requiredOption('--until <time>', 'a time, or a duration from now: 7d', readLater)
    .option(...REASON)
    .action(watch)
  withCase(command.command('measure'))
    .description('State since when a corrective or mitigating measure is available')
    .requiredOption('--at <time>', 'since when: a time, or a duration ago: 2h', readPast)
    .requiredOption('--kind <kind>', MEASURE_KIND.join(', '), readOneOf(MEASURE_KIND))
    .option('--detail <text>', 'what it is')
    .action(setMeasure)
  withCase(command.command('request'))
    .description('Record that the CSIRT asked for an intermediate report, 14(6)')
    .requiredOption('--due <time>', 'a time, or a duration from now: 3d', readLater)
    .requiredOption('--text <text>', 'what it asked for')
    .action(requestReport)
  withCase(command.command('users-informed'))
    .description('Record that users were informed, 14(8)')
    .requiredOption('--at <time>', 'a time, or a duration ago: 2h', readPast)
    .requiredOption('--text <text>', 'how, and who')
    .action(recordInformed)
  withCase(command.command('users-not-informed'))
    .description('Record why users are not informed')
    .requiredOption(...REASON)
    .action(recordNotInformed)
  withCase(command.command('add-line'))
    .description('Add a product line of the same manufacturer')
    .argument('<product-line>', 'its id or name')
    .action(addLine)
  withCase(command.command('remove-line'))
    .description('Remove a product line, with a reason; it stays out')
    .argument('<product-line>', 'its id or name')
    .requiredOption(...REASON)
    .action(removeLine)
  withCase(command.command('add-version'))
    .description('Name versions that a case is about, such as those of an incident')
    .argument('<versions...>', 'each as gateway@2.4.1, or an id')
    .action(addVersions)
}

/** "Shell: Open. EarlyWarning due 2026-11-03 21:40:00 UTC" */
export function printCase(options: ConnectionOptions, done: string, answer: Case): void {
  const next =
    answer.nextStage === null || answer.nextDueAt === null
      ? ''
      : ` Next: ${answer.nextStage}, due ${formatTime(answer.nextDueAt)} UTC.`
  printDone(options, { answer, text: `${answer.title}: ${done}. It is ${answer.state}.${next}` })
}

const because = ({ reason }: Stated) => (reason === undefined ? {} : { reason })

async function setAwareness(
  text: string,
  options: Stated & { at: string; estimate?: boolean },
): Promise<void> {
  const { client, params } = await openCase(text, options)
  const body = { awareAt: options.at, isEstimate: options.estimate ?? false, ...because(options) }
  const answered = await client.post(`${CASE}/awareness`, { params, body })
  printCase(options, `aware since ${formatTime(options.at)} UTC`, answered)
}

async function answerQuestion(
  text: string,
  options: Stated & {
    question: (typeof CASE_QUESTION)[number]
    answer: (typeof CASE_ANSWER)[number]
  },
): Promise<void> {
  const { client, params } = await openCase(text, options)
  const body = { question: options.question, answer: options.answer, ...because(options) }
  const answered = await client.post(`${CASE}/answers`, { params, body })
  const hint = answered.suggestsDismissal ? '; a no suggests to dismiss it' : ''
  printCase(options, `answered ${options.answer.toLowerCase()}${hint}`, answered)
}

async function watch(text: string, options: Stated & { until: string }): Promise<void> {
  const { client, params } = await openCase(text, options)
  const body = { nextLookAt: options.until, ...because(options) }
  const answered = await client.post(`${CASE}/watch`, { params, body })
  printCase(options, `watched until ${formatTime(options.until)} UTC`, answered)
}

async function setMeasure(
  text: string,
  options: ConnectionOptions & {
    at: string
    kind: (typeof MEASURE_KIND)[number]
    detail?: string
  },
): Promise<void> {
  const { client, params } = await openCase(text, options)
  const { at, kind, detail } = options
  const body = { availableAt: at, measure: kind, ...(detail !== undefined && { detail }) }
  const answered = await client.post(`${CASE}/measure`, { params, body })
  printCase(options, `a measure is available since ${formatTime(at)} UTC`, answered)
}

async function requestReport(
  name: string,
  options: ConnectionOptions & { due: string; text: string },
): Promise<void> {
  const { client, params } = await openCase(name, options)
  const body = { dueAt: options.due, text: options.text }
  const answered = await client.post(`${CASE}/report-requests`, { params, body })
  printCase(options, `a report is asked for by ${formatTime(options.due)} UTC`, answered)
}

async function recordInformed(
  name: string,
  options: ConnectionOptions & { at: string; text: string },
): Promise<void> {
  const { client, params } = await openCase(name, options)
  const body = { informedAt: options.at, text: options.text }
  const answered = await client.post(`${CASE}/users-informed`, { params, body })
  printCase(options, 'users were informed', answered)
}

async function recordNotInformed(
  name: string,
  options: ConnectionOptions & { reason: string },
): Promise<void> {
  const { client, params } = await openCase(name, options)
  const body = { reason: options.reason }
  const answered = await client.post(`${CASE}/users-not-informed`, { params, body })
  printCase(options, 'users are not informed', answered)
}

async function addLine(text: string, line: string, options: ConnectionOptions): Promise<void> {
  const { session, client, params } = await openCase(text, options)
  const { id, name } = await findLine(session, line)
  const body = { productLineIds: [id] }
  const answered = await client.post(`${CASE}/product-lines`, { params, body })
  printCase(options, `${name} is one of its products`, answered)
}

async function removeLine(
  text: string,
  line: string,
  options: ConnectionOptions & { reason: string },
): Promise<void> {
  const { session, client, params } = await openCase(text, options)
  const { id, name } = await findLine(session, line)
  const body = { productLineId: id, reason: options.reason }
  const answered = await client.post(`${CASE}/product-lines/remove`, { params, body })
  printCase(options, `${name} is none of its products`, answered)
}

async function addVersions(
  text: string,
  versions: string[],
  options: ConnectionOptions,
): Promise<void> {
  const { session, client, params } = await openCase(text, options)
  const firmwareVersionIds: string[] = []
  for (const version of versions)
    firmwareVersionIds.push(await findStatedVersionId(session, version))
  const body = { firmwareVersionIds: [...new Set(firmwareVersionIds)] }
  const answered = await client.post(`${CASE}/versions`, { params, body })
  printCase(options, `it is about ${versions.join(', ')}`, answered)
}
