/** The options of all commands are in this group; help shows them on one page. */
export const COMMON_OPTIONS = 'Common options:'
