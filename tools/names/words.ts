const listWords = (text: string) => new Set(text.trim().split(/\s+/))

/** The participles that no ending tells. */
export const IRREGULAR_PARTICIPLES = listWords(`
  Begun Chosen Done Drawn Found Given Gone Heard Held Kept Known Laid Left Lent Lost Made Meant Met Misspelt Paid Read Said Seen Sent Shown Sought
  Spoken Taken Taught Thought Thrown Told Torn Understood Withdrawn Written
`)

/** Nouns with the ending of a participle. */
export const NOUNS = listWords(`
  Bed Binding Building Feed Finding Heading Listing Mapping Meaning Need Opening Rating Seed Setting Spelling Speed String Thing Timing Warning
`)

/** First words of functions, in alphabetical order. Whoever needs another verb adds it. */
export const VERBS = listWords(`
  accept acknowledge act activate add admit adopt advance allow analyze announce answer append apply approve archive are arrive as ask asks assemble assign
  assert assess attempt audit authenticate back base batch beat become begin bootstrap bounds build bundle cache calculate call can cancel canonicalize cap carry
  chain change check choose claim classify clean clear close collect combine compact compare compile complain complete compress compute conclude confirm connect correct
  contain contains copy count create cut deactivate decide declare decode decrypt define delete deliver deploy derive describe detect diff disable disconnect dismiss
  distribute download draw drop edit encode encrypt end enqueue ensure enter erase estimate evaluate examine excerpt execute expect explain export extend fail fetch filter
  find finish fire fit flag flatten follow for forget format free generate get give given grade group hand handle has hash have hide hold hurry identify ignore
  import includes increment index ingest insert install invalidate invite is isolate issue join judge keep launch lead leave limit link list listen load lock log
  look lower maintain make mark match may measure meets merge migrate move name needs normalise normalize note notice notify offer open order outlast
  outline own pace pack parse pass pause pick place plan plot poll prefer prepare present preview print project propose prune publish push put query quote raise rank
  rate reach reaches read receive recheck recognise record recount refer refresh refuse register reidentify relate release relink rematch remember reopen
  remove rename render renew repair reparse repeat replace replay report request require reschedule reset resolve restart restore resubscribe resume retarget retry
  revoke roll rotate run sample sanitise save scan score seal search seed select send serve set settle share shorten show shrink sign signal silence sort spell
  split spoil spool stage start starts state steer step store stream strip style subscribe sum summarise sweep sync tag take takes teardown tell test
  time to toggle trace truncate try uncount undo unescape unite unpack unquote unsubscribe update upload upsert use validate vary verify visit void wait
  waits walk wants was watch weaken with withdraw without write zoom
`)
