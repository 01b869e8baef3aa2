/** Members that a comment addresses: `@` before their mail address, as the portal writes it when one is picked. */

/** What stands before the sign is not part of another address, and a full stop ends the sentence. */
const MENTION = /(?<![\w.@+-])@([\w.+'-]+@[\w-]+(?:\.[\w-]+)*)/g

const MOST = 20

/** The addresses in lower case, each once, the first 20. */
export function findMentions(text: string): string[] {
  const found = Array.from(text.matchAll(MENTION), ([, address = '']) => address.toLowerCase())
  return [...new Set(found)].slice(0, MOST)
}
