/** Passwords that attackers try first are refused (NIST SP 800-63B, section 3.1.1.2). */
import { invalid } from '../../platform/errors.ts'

interface ChosenPassword {
  email: string
  pointer: string
}

/** Throws `invalid` at the pointer. */
export async function refuseWeakPassword(
  password: string,
  { email, pointer }: ChosenPassword,
): Promise<void> {
  const fault = await faultOfPassword(password.normalize('NFKC').toLowerCase(), email)
  if (fault !== undefined) throw invalid(fault, pointer)
}

async function faultOfPassword(password: string, email: string): Promise<string | undefined> {
  const [name = ''] = email.split('@')
  if (password === email || isMostly(password, name) || isMostly(password, 'plimsoll'))
    return 'The password consists of your address or of the name of this service. Choose another one.'
  if (isRepeated(password))
    return 'The password repeats a few characters. Choose one that nobody can guess.'
  // Read when it is needed: most processes never check a password.
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const leaked = dictionary['passwords-common']
  if (leaked.includes(password) || leaked.includes(findStem(password)))
    return 'The password is among those that were leaked elsewhere, so that attackers try it first. Choose another one.'
  return undefined
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`, `passwordpassword`. */
function isRepeated(password: string): boolean {
  return /^(.{1,12})\1+$/su.test(password)
}

/** Digits and signs around a known word add little: `password2026!`. They count where they are most of it. */
function findStem(password: string): string {
  const stem = password.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return stem.length * 2 >= password.length ? stem : password
}

function isMostly(password: string, word: string): boolean {
  return word.length >= 4 && findStem(password) === word.toLowerCase()
}
