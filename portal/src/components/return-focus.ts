import { useEffect, useState } from 'react'

/** For a dialog that is there only while it is open: the focus goes back to what opened it, or to the page if that has gone. */
export function useReturnedFocus(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // After the dialog has let go of the focus.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
        else if (document.activeElement === document.body)
          document.getElementById('page')?.focus({ preventScroll: true })
      })
    },
    [opener],
  )
}
