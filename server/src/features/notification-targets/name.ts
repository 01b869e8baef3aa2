/** It stands in subjects of mails: no line breaks, nothing that hides or turns text. */
export function faultOfName(name: string): string | undefined {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
    ? 'The name holds a line break or another character that cannot be seen.'
    : undefined
}
