/** The pages that links in mails open. They need no script. A form is sent to the address of its own page. */
import { html, type Html } from '../../../platform/html.ts'

/** What an opened link shows: a question, or its outcome. */
export interface OpenedLink {
  outcome: 'Unknown' | 'Expired' | 'NotWanted' | 'Asks' | 'Confirmed' | 'Unsubscribed'
  workspaceName: string
  address: string
}

interface Page {
  title: string
  paragraphs: readonly (string | Html)[]
  button?: string
}

const UNKNOWN: Page = {
  title: 'This link does not work',
  paragraphs: [
    'It is incomplete, or this service has not made it. Open the whole link of the mail.',
  ],
}

const NOT_WANTED: Page = {
  title: 'No mail is sent to this address',
  paragraphs: ['No workspace asks to send alerts to it any more. You need to do nothing.'],
}

export function confirmPage(link: OpenedLink): string {
  return page(confirmContent(link))
}

function confirmContent({ outcome, workspaceName, address }: OpenedLink): Page {
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
          html`${strong(address)} gets the alerts of the workspace ${workspace}.`,
          'Every mail has a link that ends this.',
        ],
      }
    case 'Asks':
      return {
        title: 'Do you want these alerts?',
        paragraphs: [
          html`The workspace ${workspace} wants to send its alerts to ${strong(address)}.`,
          'If you do not expect this, close the page: nothing is sent.',
        ],
        button: 'Send me alerts',
      }
  }
}

export function unsubscribePage(link: OpenedLink): string {
  return page(unsubscribeContent(link))
}

function unsubscribeContent({ outcome, workspaceName, address }: OpenedLink): Page {
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
          html`Nothing of the workspace ${workspace} is sent to ${strong(address)}.`,
          'If you want its alerts again, ask the people of the workspace for a new confirmation mail.',
        ],
      }
    case 'Asks':
      return {
        title: 'End these mails?',
        paragraphs: [
          html`The workspace ${workspace} sends its alerts to ${strong(address)}. You would no longer get them.`,
        ],
        button: 'Send me no more',
      }
  }
}

function page({ title, paragraphs, button }: Page): string {
  const form = button && html`<form method="post"><button>${button}</button></form>`
  return String(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Plimsoll</title>
<style>
  :root { color-scheme: light dark; --ink: #1a2733; --paper: #fff; --deep: #0b5394; --on-deep: #fff }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6ecf1; --paper: #14202b; --deep: #7cb9f0; --on-deep: #10202e } }
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
  h1 { font-size: 1.7rem; line-height: 1.25 }
  button { font: inherit; margin-top: 1rem; min-height: 2.75rem; padding: .5rem 1.25rem; border: 0; border-radius: 4px; background: var(--deep); color: var(--on-deep); cursor: pointer }
  button:focus-visible { outline: 3px solid var(--deep); outline-offset: 3px }
</style>
<main>
  <h1>${title}</h1>
  ${paragraphs.map((text) => html`<p>${text}</p>`)}
  ${form}
</main>
</html>`)
}

/** Isolates the direction of a name's letters from the text around it. */
function strong(text: string): Html {
  return html`<strong><bdi>${text}</bdi></strong>`
}
