/** Reads e-mail addresses as real servers accept them: a dot-string (RFC 5321 section 4.1.2) at a DNS name. */
import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** As written. */
  emailAddress: string
  /** For comparison: in lower case, with the domain in its ASCII form. */
  address: string
}

// RFC 5321 section 4.5.3.1. A path has 256 characters, of which two are its brackets.
const LOCAL_CHARACTERS = 64
const DOMAIN_CHARACTERS = 253
const ADDRESS_CHARACTERS = 254

const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The address, or why the text is none. A fault continues the sentence "The address …". */
export function readEmailAddress(emailAddress: string): EmailAddress | { fault: string } {
  const fault = faultOfText(emailAddress)
  if (fault !== undefined) return { fault }
  const at = emailAddress.indexOf('@')
  const local = emailAddress.slice(0, at)
  const localFault = faultOfLocalPart(local)
  if (localFault !== undefined) return { fault: localFault }
  const domain = readDomain(emailAddress.slice(at + 1))
  if (domain === undefined)
    return { fault: 'has no domain that mail can be sent to, such as example.com' }
  const address = `${local.toLowerCase()}@${domain}`
  if (address.length > ADDRESS_CHARACTERS)
    return { fault: `is longer than ${ADDRESS_CHARACTERS} characters` }
  return { emailAddress, address }
}

function faultOfText(text: string): string | undefined {
  if (text === '') return 'is empty'
  // Format characters (Cf) hide text or reverse its direction.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    return 'has a line break or another character that cannot be seen'
  if (/["()]/.test(text)) return 'has quotation marks or a comment, which are not accepted'
  if (/[<>]/.test(text)) return 'has to stand alone, without a name or brackets'
  if (/[,;]/.test(text)) return 'holds several addresses: write each as an entry of its own'
  if (/\s/.test(text)) return 'has a space'
  const parts = text.split('@').length
  if (parts === 1) return 'lacks an @'
  if (parts > 2) return 'has more than one @'
  return undefined
}

function faultOfLocalPart(local: string): string | undefined {
  if (local === '') return 'has nothing before its @'
  if (local.length > LOCAL_CHARACTERS)
    return `has more than ${LOCAL_CHARACTERS} characters before its @`
  if (/[^\u0020-\u007e]/.test(local))
    return 'has characters before its @ that are not ASCII, which many mail servers refuse'
  if (!LOCAL_PART.test(local))
    return 'has a character that is not allowed before its @, or a dot too many'
  return undefined
}

/** The ASCII form of a domain; undefined when DNS cannot know it. Only `localhost` needs no dot. */
function readDomain(text: string): string | undefined {
  // Checked before the conversion, which would read characters with a meaning in URLs.
  if (/[^\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]/u.test(text)) return undefined
  const domain = domainToASCII(text).toLowerCase()
  const labels = domain.split('.')
  if (domain.length > DOMAIN_CHARACTERS || !labels.every((label) => LABEL.test(label)))
    return undefined
  if (domain === 'localhost') return domain
  const top = labels.at(-1) ?? ''
  return labels.length > 1 && !/^\d+$/.test(top) ? domain : undefined
}
