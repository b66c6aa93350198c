/** The latest deliveries of a webhook, with a button to send one again. */
import { api, sending, type Webhook, type WebhookDelivery } from '../common/api.ts'
import { atMoment, formatNumber } from '../common/dates.ts'
import { toast } from '../common/toasts.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Field, Form } from '../common/ui/field.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { useReading, WhenRead } from '../common/ui/reading.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { Table } from './table.tsx'
import { wasTaken } from './webhooks.ts'

const words = texts.people

/** The receiver's response, as text. */
const outcomeOf = ({ status, error }: WebhookDelivery) =>
  [status === null ? words.noAnswer : String(status), error].filter(Boolean).join(': ')

export const Outcome = ({ delivery }: { delivery: WebhookDelivery }) => (
  <span class={wasTaken(delivery) ? 'good' : 'danger'} dir="auto">
    <Icon name={wasTaken(delivery) ? 'check' : 'warning'} /> {outcomeOf(delivery)}
  </span>
)

interface Props {
  webhook: Webhook
  /** Called when the webhook has changed. */
  onReplay: () => void
  onClose: () => void
}

export function DeliveriesDialog({ webhook, onReplay, onClose }: Props) {
  const path = { id: webhook.id }
  const reading = useReading(() => api.get('/api/webhooks/{id}/deliveries', { path }))
  const replay = async (fields: FormData) => {
    const body = { after: Number(fields.get('after')) }
    await write(sending('post', '/api/webhooks/{id}/replay', { path, body }))
    onReplay()
    toast(words.replayed)
    await reading.reload()
  }
  return (
    <Dialog title={words.deliveries} onClose={onClose} size="wide" closesOutside={false}>
      <p class="meta" dir="auto">
        {webhook.url}
      </p>
      <WhenRead of={reading}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <p>{words.noDeliveries}</p>
          ) : (
            <Table label={words.deliveries} columns={words.deliveryColumns}>
              {deliveries.map((delivery) => (
                <tr key={delivery.id}>
                  <td>{atMoment(delivery.createdAt)}</td>
                  <td>{delivery.seq === null ? words.test : formatNumber(delivery.seq)}</td>
                  <td>
                    <Outcome delivery={delivery} />
                  </td>
                  <td>{words.milliseconds(formatNumber(delivery.duration))}</td>
                  <td>
                    <bdi>{delivery.response}</bdi>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </WhenRead>
      <section class="stack" aria-labelledby="replay">
        <h3 id="replay">{texts.people.resume}</h3>
        <Form send={replay} submit={words.replayNow}>
          <Field
            name="after"
            label={words.after}
            hint={words.afterHint(formatNumber(webhook.after))}
            type="number"
            min={0}
            step={1}
            value={String(webhook.after)}
            required
          />
        </Form>
      </section>
    </Dialog>
  )
}
