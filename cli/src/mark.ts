/** The marks of firmware versions in tables. */
import type { ExplainedMark } from '../../api-client/src/index.ts'
import type { Style } from './table.ts'

type Mark = Pick<ExplainedMark, 'state' | 'sentence'>

const STYLES: Record<Mark['state'], Style> = {
  Overloaded: 'red',
  ToDecide: 'yellow',
  Unknown: 'dim',
  Clear: 'green',
}

export const markStyle = ({ state }: Mark): Style => STYLES[state]

/** `gateway 2.4.1 (Overloaded: 2 known exploited)` */
export const withMark = (name: string, mark: Mark | undefined): string =>
  mark === undefined ? name : `${name} (${mark.sentence})`
