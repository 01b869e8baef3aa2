/** Addresses that webhooks may have, as far as their text tells. */

type ParsedUrl = { url: string } | { fault: string }

const MOST_CHARACTERS = 2048

/** The URL as it is asked for: an address written as one number, in octal or in hexadecimal is written out. */
export function parseWebhookUrl(text: string): ParsedUrl {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { fault: 'The URL has to begin with https:// (http:// where the operator allows it).' }
  // It would be sent in clear and shown to whoever reads the webhook: signatures tell who sends.
  if (url.username !== '' || url.password !== '')
    return { fault: 'The URL must not hold a user name or password.' }
  if (text.includes('#'))
    return { fault: 'The URL must not have a fragment (#…): no server sees it.' }
  if (url.href.length > MOST_CHARACTERS)
    return { fault: `The URL has more than ${MOST_CHARACTERS} characters.` }
  return { url: url.href }
}
