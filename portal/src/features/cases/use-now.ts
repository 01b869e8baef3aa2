import { useInterval } from '@mantine/hooks'
import { useState } from 'react'

const SECOND_MS = 1_000

/** Draws anew each second: a clock that stands still would mislead. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useInterval(() => setNow(new Date()), SECOND_MS, { autoInvoke: true })
  return now
}
