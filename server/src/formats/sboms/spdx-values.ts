/** NOASSERTION and NONE count as not declared. */
export function readDeclared(text: string | undefined): string | undefined {
  return text === undefined || text === '' || text === 'NOASSERTION' || text === 'NONE'
    ? undefined
    : text
}
