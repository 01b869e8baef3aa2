/** How reports from outside are taken: whether at all, and by when they are answered. */
import type { Command } from 'commander'
import type { DisclosurePolicy } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
import { readPositiveInteger } from '../option-values.ts'
import { formatCount } from '../print.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { readTextFile } from '../text-file.ts'

const POLICY = '/workspaces/{workspaceId}/disclosure-policy'

export function addDisclosurePolicy(disclosure: Command): void {
  withConnection(disclosure.command('policy'))
    .description('Show how reports from outside are taken, or change it')
    .option('--public', 'everybody can open the page and send reports')
    .option('--private', 'nobody can')
    .option('--file <file>', 'the text of the policy above the form')
    .option('--answer-days <days>', 'working days until a person answers', readPositiveInteger)
    .option('--assessment-days <days>', 'working days until it is assessed', readPositiveInteger)
    .option('--disclosure-days <days>', 'days until it is disclosed', readPositiveInteger)
    .option('--most-a-day <reports>', 'reports that are taken within a day', readPositiveInteger)
    .action(showPolicy)
}

interface PolicyOptions extends ConnectionOptions {
  public?: boolean
  private?: boolean
  file?: string
  answerDays?: number
  assessmentDays?: number
  disclosureDays?: number
  mostADay?: number
}

async function showPolicy(options: PolicyOptions): Promise<void> {
  if (options.public && options.private) throw usageError('Say --public or --private, not both.')
  const body = { ...readSwitch(options), ...readTimes(options), ...(await readText(options)) }
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId }
  const found = await client.get(POLICY, { params })
  const hasChange = Object.keys(body).length > 0
  const answer = hasChange ? await client.patch(POLICY, { params, body, ifStill: found }) : found
  printDone(options, { answer, text: describePolicy(answer) })
}

const readSwitch = (options: PolicyOptions) => ({
  ...(options.public && { isPublic: true }),
  ...(options.private && { isPublic: false }),
})

const readTimes = ({ answerDays, assessmentDays, disclosureDays, mostADay }: PolicyOptions) => ({
  ...(answerDays !== undefined && { answerDays }),
  ...(assessmentDays !== undefined && { assessmentDays }),
  ...(disclosureDays !== undefined && { disclosureDays }),
  ...(mostADay !== undefined && { mostPerDay: mostADay }),
})

/** An empty file takes back what was written. */
async function readText({ file }: PolicyOptions): Promise<{ policy?: string | null }> {
  if (file === undefined) return {}
  const text = await readTextFile(file)
  return { policy: text.trim() === '' ? null : text }
}

const describePolicy = (policy: DisclosurePolicy) =>
  [
    policy.isPublic ? 'Public: everybody can send reports' : 'Not public: no report is taken',
    `Page:                          ${policy.pageUrl}`,
    `First answer (good practice):  ${formatCount(policy.answerDays, 'working day')}`,
    `Assessment (good practice):    ${formatCount(policy.assessmentDays, 'working day')}`,
    `Disclosure (good practice):    ${formatCount(policy.disclosureDays, 'day')}`,
    `At most:                       ${policy.mostPerDay} reports a day`,
  ].join('\n')
