/** Rules of the house that oxlint does not have, as a plugin of it. */
import { mailDoor } from './mail-door.ts'
import { spreadIntoCall } from './spread-into-call.ts'

export default {
  meta: { name: 'plimsoll' },
  rules: { 'mail-door': mailDoor, 'spread-into-call': spreadIntoCall },
}
