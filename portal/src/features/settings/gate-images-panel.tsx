/** What the release gate demands of the images of a version. */
import { Checkbox } from '@mantine/core'
import { IMAGE_DEMAND } from '@plimsoll/api-client'
import { Panel } from '../../components/panel.tsx'
import type { FormOf } from '../../components/use-form.ts'
import type { SettingsValues } from './settings-values.ts'

const TEXTS: Record<(typeof IMAGE_DEMAND)[number], string> = {
  Signed: 'A trusted key signed it',
  NoTestKey: 'No published test key signed it',
  NamedVersion: 'It states the version that it is called',
  CounterNotLower: 'Its security counter is not lower than that of the predecessor',
  ChainComplete: 'An SBOM describes it, and nothing says otherwise',
  SbomSigned: 'A trusted key signed each SBOM',
}

export function GateImagesPanel({ values, change, findFault, checkbox }: FormOf<SettingsValues>) {
  return (
    <Panel
      title="Images and crashes at the release gate"
      note="what each update file and SBOM has to meet, and what devices report"
    >
      <Checkbox.Group
        label="The release gate demands"
        description="What is not known meets no demand. With the gate at Block, a deployment then needs a reason."
        error={findFault('gateImages')}
        value={values.gateImages}
        onChange={(chosen) =>
          change({ gateImages: IMAGE_DEMAND.filter((one) => chosen.includes(one)) })
        }
      >
        {IMAGE_DEMAND.map((demand) => (
          <Checkbox key={demand} mt={8} value={demand} label={TEXTS[demand]} />
        ))}
      </Checkbox.Group>
      <Checkbox
        mt={16}
        label="Count crashes that no earlier version had"
        description="Also those that cannot be compared, as lines of the build are not uploaded."
        {...checkbox('gateNewCrashes')}
      />
    </Panel>
  )
}
