/** The page that the link of a mail opens. */
import { renderHtml, type Html } from '../../platform/html.ts'
import { renderPlainPage } from '../../platform/plain-page.ts'

/** What an opened link shows: a question, or its outcome. */
export interface OpenedLink {
  outcome: 'Unknown' | 'NotWanted' | 'Asks' | 'Ended'
  workspaceName: string
}

export function unsubscribePage({ outcome, workspaceName }: OpenedLink): string {
  const workspace = renderHtml`<strong><bdi>${workspaceName}</bdi></strong>`
  return renderPlainPage(writeContent(outcome, workspace))
}

function writeContent(outcome: OpenedLink['outcome'], workspace: Html) {
  switch (outcome) {
    case 'Unknown':
      return {
        title: 'This link does not work',
        paragraphs: [
          'It is incomplete, or this service has not made it. Open the whole link of the mail.',
        ],
      }
    case 'NotWanted':
      return {
        title: 'No weekly mail is sent to you',
        paragraphs: ['It was ended before. You need to do nothing.'],
      }
    case 'Ended':
      return {
        title: 'You get no more weekly mails',
        paragraphs: [
          renderHtml`The workspace ${workspace} sends you none. Your account can ask for them again.`,
        ],
      }
    case 'Asks':
      return {
        title: 'End these mails?',
        paragraphs: [renderHtml`The workspace ${workspace} sends you a mail each week.`],
        button: 'Send me no more',
      }
  }
}
