import { Type } from 'typebox'

export const affectedDevicesFields = {
  affectedDeviceCount: Type.Integer({
    description: 'Devices that report the firmware version, whenever they last did',
  }),
  affectedDevices: Type.Object(
    {
      runningNow: Type.Integer({ description: 'Connected' }),
      seenLastDay: Type.Integer({ description: 'Not connected, seen in the last 24 hours' }),
      seenLastWeek: Type.Integer({ description: 'Seen in the last 7 days, but not since' }),
      older: Type.Integer({ description: 'Not seen for longer' }),
    },
    { description: 'The same devices in four groups. Windows begin at a full hour' },
  ),
}
