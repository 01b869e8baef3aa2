import { Drawer } from '@mantine/core'
import { Rail } from './rail.tsx'

/** The rail of narrow screens; it goes when one has chosen. */
export default function RailDrawer({ onClose }: { onClose: () => void }) {
  return (
    <Drawer opened onClose={onClose} size={260} withCloseButton={false} padding={0} title="Menu">
      <div onClick={onClose}>
        <Rail />
      </div>
    </Drawer>
  )
}
