/** Texts of other servers, for logs, terminals and screens. */

/** One line without characters that control a terminal, hide text or reverse its direction. */
export function cleanLine(text: string, mostCharacters: number): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return Array.from(line).slice(0, mostCharacters).join('')
}
