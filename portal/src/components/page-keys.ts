import { type HotkeyItem, useHotkeys } from '@mantine/hooks'

/** Keys of a page: they rest while a dialog is open over it. */
export function usePageKeys(keys: readonly (readonly [string, () => void])[]): void {
  useHotkeys(
    keys.map(([key, act]): HotkeyItem => [
      key,
      () => {
        if (!document.querySelector('[aria-modal="true"]')) act()
      },
      // Enter also presses the button that has the focus.
      { preventDefault: key !== 'Enter' },
    ]),
  )
}
