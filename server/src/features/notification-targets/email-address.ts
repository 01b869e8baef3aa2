/** Reads e-mail addresses as real servers accept them: a dot-string (RFC 5321 section 4.1.2) at a DNS name. */
import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** As written. */
  emailAddress: string
  /** For comparison: in lower case, with the domain in its ASCII form. */
  address: string
}

// RFC 5321 section 4.5.3.1. A path has at most 256 characters, including its two brackets.
const LOCAL_CHARACTERS = 64
const DOMAIN_CHARACTERS = 253
const ADDRESS_CHARACTERS = 254

const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The address, or why the text is not an address. A fault continues the sentence "The address …". */
export function readEmailAddress(emailAddress: string): EmailAddress | { fault: string } {
  const fault = faultOfText(emailAddress)
  if (fault !== undefined) return { fault }
  const at = emailAddress.indexOf('@')
  const local = emailAddress.slice(0, at)
  const localFault = faultOfLocalPart(local)
  if (localFault !== undefined) return { fault: localFault }
  const domain = readDomain(emailAddress.slice(at + 1))
  if (domain === undefined) return { fault: 'has no valid domain such as example.com after its @' }
  const address = `${local.toLowerCase()}@${domain}`
  if (address.length > ADDRESS_CHARACTERS)
    return { fault: `is longer than ${ADDRESS_CHARACTERS} characters` }
  return { emailAddress, address }
}

function faultOfText(text: string): string | undefined {
  if (text === '') return 'is empty'
  // Format characters (Cf) hide text or reverse its direction.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    return 'has a line break or another invisible character'
  if (/["()]/.test(text)) return 'has quotation marks or parentheses, which are not accepted'
  if (/[<>]/.test(text)) return 'has a name or brackets; write the address only'
  if (/[,;]/.test(text)) return 'has a comma or semicolon; write each address as a separate entry'
  if (/\s/.test(text)) return 'has a space'
  const parts = text.split('@').length
  if (parts === 1) return 'has no @'
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
    return 'has a character or a dot before its @ that is not allowed there'
  return undefined
}

/** The ASCII form of a domain; undefined when it cannot exist in DNS. Only `localhost` needs no dot. */
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
