/** What commands call by its id or its name. */
import { usageError } from './failure.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id. An id is not looked up: the service says when it names nothing. */
export async function idOfNamed(
  text: string,
  what: string,
  list: () => Promise<readonly { id: string; name: string }[]>,
): Promise<string> {
  if (UUID.test(text)) return text
  const [found, second] = (await list()).filter(({ name }) => name === text)
  if (!found) throw usageError(`There is no ${what} with the id or name ${JSON.stringify(text)}.`)
  if (second)
    throw usageError(`Several have the name ${JSON.stringify(text)}: give the id of the ${what}.`)
  return found.id
}
