/** The pages that links in mails open. */
import { renderHtml, type Html } from '../../../platform/html.ts'
import { type PlainPage, renderPlainPage } from '../../../platform/plain-page.ts'

/** What an opened link shows: a question, or its outcome. */
export interface OpenedLink {
  outcome: 'Unknown' | 'Expired' | 'NotWanted' | 'Asks' | 'Confirmed' | 'Unsubscribed'
  workspaceName: string
  address: string
}

const UNKNOWN: PlainPage = {
  title: 'This link does not work',
  paragraphs: [
    'It is incomplete, or this service has not made it. Open the whole link of the mail.',
  ],
}

const NOT_WANTED: PlainPage = {
  title: 'No mail is sent to this address',
  paragraphs: ['No workspace asks to send alerts to it any more. You need to do nothing.'],
}

export function confirmPage(link: OpenedLink): string {
  return renderPlainPage(confirmContent(link))
}

function confirmContent({ outcome, workspaceName, address }: OpenedLink): PlainPage {
  const workspace = strong(workspaceName)
  switch (outcome) {
    case 'Unknown':
      return UNKNOWN
    case 'Expired':
      return {
        title: 'This link has expired',
        paragraphs: ['Links work for seven days. The sender of the mail can ask you again.'],
      }
    case 'NotWanted':
    case 'Unsubscribed':
      return NOT_WANTED
    case 'Confirmed':
      return {
        title: 'Alerts are sent to you',
        paragraphs: [
          renderHtml`${strong(address)} gets the alerts of the workspace ${workspace}.`,
          'Every mail has a link that ends this.',
        ],
      }
    case 'Asks':
      return {
        title: 'Do you want these alerts?',
        paragraphs: [
          renderHtml`The workspace ${workspace} wants to send its alerts to ${strong(address)}.`,
          'If you do not expect this, close the page: nothing is sent.',
        ],
        button: 'Send me alerts',
      }
  }
}

export function unsubscribePage(link: OpenedLink): string {
  return renderPlainPage(unsubscribeContent(link))
}

function unsubscribeContent({ outcome, workspaceName, address }: OpenedLink): PlainPage {
  const workspace = strong(workspaceName)
  switch (outcome) {
    case 'Unknown':
    case 'Expired':
      return UNKNOWN
    case 'NotWanted':
      return NOT_WANTED
    case 'Confirmed':
    case 'Unsubscribed':
      return {
        title: 'You get no more mail',
        paragraphs: [
          renderHtml`Nothing of the workspace ${workspace} is sent to ${strong(address)}.`,
          'If you want its alerts again, ask the people of the workspace for a new confirmation mail.',
        ],
      }
    case 'Asks':
      return {
        title: 'End these mails?',
        paragraphs: [
          renderHtml`The workspace ${workspace} sends its alerts to ${strong(address)}. You would no longer get them.`,
        ],
        button: 'Send me no more',
      }
  }
}

/** Isolates the direction of a name's letters from the text around it. */
function strong(text: string): Html {
  return renderHtml`<strong><bdi>${text}</bdi></strong>`
}
