/** The mails that a colleague's act sends. */
import { formatPortalPath } from '../../formats/portal-pages.ts'
import { shortenText } from '../../formats/shorten.ts'
import { type Letter, writeLetter } from '../../platform/mail/letter.ts'

export interface About {
  publicUrl: string
  workspaceId: string
  workspaceName: string
  /** null: the operator, or somebody unknown. */
  byEmail: string | null
}

const MOST_QUOTED = 1_000

const nameAuthor = ({ byEmail }: Pick<About, 'byEmail'>) => byEmail ?? 'Somebody'

function linkTo({ publicUrl, workspaceId }: About, cveId: string) {
  const path = formatPortalPath('vulnerability', { workspaceId, cveId })
  return { label: `Open ${cveId}`, url: `${publicUrl}${path}` }
}

const listWhy = ({ workspaceName }: About) => [
  `You get this mail as a member of the workspace "${workspaceName}" of Plimsoll.`,
]

export function writeMentionLetter(about: About, comment: { cveId: string; text: string }): Letter {
  const { cveId, text } = comment
  return writeLetter({
    subject: `${nameAuthor(about)} mentions you: ${cveId}`,
    before: [`${nameAuthor(about)} wrote about ${cveId}:`, shortenText(text, MOST_QUOTED)],
    link: linkTo(about, cveId),
    after: listWhy(about),
  })
}

/** `count`: of all, of which `cveIds` are the first. */
export function writeAssignmentLetter(
  about: About,
  { cveIds, count }: { cveIds: readonly string[]; count: number },
): Letter {
  const [first = ''] = cveIds
  const what = count === 1 ? first : `${count.toLocaleString('en')} vulnerabilities`
  const more = count > cveIds.length ? [`and ${count - cveIds.length} more`] : []
  const details = count === 1 ? [] : [[...cveIds, ...more].join(', ')]
  return writeGivenLetter(about, { what, details, link: linkTo(about, first) })
}

interface Given {
  what: string
  details: readonly string[]
  link: { label: string; url: string }
}

/** Tells a member what a colleague gave them to look after. */
export function writeGivenLetter(about: About, { what, details, link }: Given): Letter {
  return writeLetter({
    subject: `${nameAuthor(about)} gave you ${what}`,
    before: [`${nameAuthor(about)} asks you to look after ${what}.`, ...details],
    link,
    after: listWhy(about),
  })
}
