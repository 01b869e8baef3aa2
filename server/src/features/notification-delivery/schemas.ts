import { Type } from 'typebox'
import { Nullable, Shape } from '../../platform/http/schemas.ts'

export const RequestOfNotification = Shape('NotificationRequest', {
  request: Nullable(
    Type.Object({
      method: Type.Literal('POST'),
      url: Nullable(Type.String(), {
        description: 'As the webhook has it now; null: it was deleted',
      }),
      headers: Type.Record(Type.String(), Type.String(), {
        description:
          'The same at each attempt. `webhook-timestamp` and `webhook-signature` are made for each one',
      }),
      body: Type.String({ description: 'The same at each attempt' }),
    }),
    { description: 'null: it goes out as a mail' },
  ),
})
