/**
 * Dates and numbers are written as the reader's browser is set; texts are English. Digits stay those of ids and versions, and days
 * those of the calendar that sources use.
 */
export const LOCALE = chooseLocale(
  globalThis.document === undefined ? undefined : globalThis.navigator.language,
)

/** British English where the language is none that the browser knows. */
export function chooseLocale(language: string | undefined): string {
  try {
    const locale = new Intl.Locale(language ?? '', { numberingSystem: 'latn', calendar: 'gregory' })
    return locale.toString()
  } catch {
    return 'en-GB'
  }
}
