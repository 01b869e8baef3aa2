/** Mantine in our palette: its variables point at the tokens, so that both themes have one source. */
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

const SEA: MantineColorsTuple = [
  '#eaf3f8',
  '#d3e6f0',
  '#a9cee1',
  '#7cb5d2',
  '#4fb3dd',
  '#2c86ad',
  '#0b6e99',
  '#095c80',
  '#074a67',
  '#06384f',
]

/** The list box itself scrolls: the scroll area of Mantine is one more element, which no key reaches. */
const SCROLLING_LIST = { withScrollArea: false }
const LIST = { options: { maxHeight: 220, overflowY: 'auto' } } as const

export const theme = createTheme({
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  primaryColor: 'sea',
  colors: { sea: SEA },
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  defaultRadius: 6,
  fontSizes: { xs: '11px', sm: '13px', md: '13px', lg: '15px', xl: '17px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '24px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  respectReducedMotion: true,
  // By name: naming the components themselves would load them all with the first page.
  components: {
    Input: {
      vars: () => ({
        wrapper: {
          '--input-height': 'var(--control-height)',
          '--input-fz': '13px',
          '--input-bg': 'var(--surface)',
          '--input-bd': 'var(--line-control)',
        },
      }),
    },
    // What opens above the page is part of its main landmark.
    Portal: { defaultProps: { target: 'main' } },
    Select: { defaultProps: { allowDeselect: false, ...SCROLLING_LIST }, styles: LIST },
    MultiSelect: { defaultProps: SCROLLING_LIST, styles: LIST },
    TagsInput: { defaultProps: SCROLLING_LIST, styles: LIST },
    Menu: {
      defaultProps: {
        shadow: 'elevation',
        transitionProps: { duration: 80 },
        // It would be a child of the menu that is no item; the focus begins at the first item without it.
        withInitialFocusPlaceholder: false,
      },
    },
    Modal: {
      defaultProps: {
        radius: 12,
        centered: true,
        transitionProps: { duration: 120 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Drawer: { defaultProps: { transitionProps: { duration: 120 } } },
    Tooltip: {
      defaultProps: { openDelay: 300, transitionProps: { duration: 80 } },
    },
  },
})

const VARIABLES = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--muted)',
  '--mantine-color-placeholder': 'var(--muted)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--danger)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-border': 'var(--line-control)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: { '--mantine-shadow-elevation': 'var(--elevation-2)' },
  light: VARIABLES,
  dark: VARIABLES,
})
