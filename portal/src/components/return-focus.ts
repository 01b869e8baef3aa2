import { useEffect, useState } from 'react'

/** For a dialog that is there only while it is open: the focus goes back to what opened it, if that is still there. */
export function useReturnedFocus(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // After the dialog has let go of the focus.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
      })
    },
    [opener],
  )
}
