/** The functions that may reach rows of any workspace, and why. Names are below `server/src/features`. */
export const CROSSING_WORKSPACES: readonly { name: string; reason: string }[] = []
