/** Rules of the house that oxlint does not have, as a plugin of it. */
import { spreadIntoCall } from './spread-into-call.ts'

export default {
  meta: { name: 'plimsoll' },
  rules: { 'spread-into-call': spreadIntoCall },
}
