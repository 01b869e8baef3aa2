/** All profiles, by their ids. */
import type { SbomProfile } from './profile.ts'
import { BSI_2_0 } from './profiles/bsi-2.0.ts'
import { BSI_2_1 } from './profiles/bsi-2.1.ts'
import { CISA } from './profiles/cisa.ts'
import { NTIA } from './profiles/ntia.ts'

export const SBOM_PROFILES: readonly SbomProfile[] = [BSI_2_1, BSI_2_0, NTIA, CISA]
