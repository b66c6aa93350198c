/** The webhooks, for admins. */
import { useState } from 'preact/hooks'
import { api, sending, type Webhook, type WebhookDelivery, type WebhookWithSecret } from '../common/api.ts'
import { failed, toast } from '../common/toasts.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { useReading, WhenRead } from '../common/ui/reading.tsx'
import { SecretDialog } from '../common/ui/secret.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { AdminPage } from './admin-page.tsx'
import { Confirm } from './confirm.tsx'
import { DeliveriesDialog, Outcome } from './deliveries-dialog.tsx'
import { type WebhookAction, WebhookCard } from './webhook-card.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

const words = texts.people

/** The open dialog. */
type Doing =
  | { what: 'add' }
  | { what: 'change' | 'deliveries' | 'rotate' | 'delete'; webhook: Webhook }
  | { what: 'secret'; webhook: WebhookWithSecret }
  | { what: 'tested'; webhook: Webhook; delivery: WebhookDelivery }

const pathOf = ({ id }: Webhook) => ({ id })

const test = (webhook: Webhook) =>
  write({
    isApart: true,
    ...sending('post', '/api/webhooks/{id}/test', { path: pathOf(webhook) }),
  })

const rotate = (webhook: Webhook) =>
  write(sending('post', '/api/webhooks/{id}/rotate-secret', { path: pathOf(webhook) }))

const setActive = (webhook: Webhook, active: boolean) =>
  write(sending('patch', '/api/webhooks/{id}', { path: pathOf(webhook), body: { active } }))

const remove = (webhook: Webhook) => write(sending('delete', '/api/webhooks/{id}', { path: pathOf(webhook) }))

/** The webhooks with the names of their projects. A project may be deleted. */
const load = async () => {
  const [webhooks, projects] = await Promise.all([
    api.get('/api/webhooks'),
    api.get('/api/projects', { query: { view: 'summary' } }),
  ])
  return { webhooks, projects: new Map(projects.map(({ id, name }) => [id, name])) }
}

function Webhooks({ doing, setDoing }: { doing: Doing | undefined; setDoing: (doing?: Doing) => void }) {
  const reading = useReading(load)
  const close = () => setDoing(undefined)
  const perform = async (webhook: Webhook, action: WebhookAction) => {
    if (action === 'test') {
      const { data: delivery } = await test(webhook)
      setDoing({ what: 'tested', webhook, delivery })
    } else if (action === 'toggle') {
      await setActive(webhook, !webhook.active)
      await reading.reload()
      toast(words.webhookSaved)
    } else {
      setDoing({ what: action, webhook })
    }
  }
  const made = (webhook: WebhookWithSecret) => {
    setDoing({ what: 'secret', webhook })
    void reading.reload()
  }
  const closeChanged = () => {
    close()
    void reading.reload()
  }
  return (
    <>
      <WhenRead of={reading}>
        {({ webhooks, projects }) =>
          webhooks.length === 0 ? (
            <p class="notice">{words.noWebhooks}</p>
          ) : (
            <ul class="stack" aria-label={texts.webhooks}>
              {webhooks.map((webhook) => (
                <WebhookCard
                  key={webhook.id}
                  webhook={webhook}
                  project={
                    webhook.projectId ? (projects.get(webhook.projectId) ?? webhook.projectId) : undefined
                  }
                  onDo={(action) => void perform(webhook, action).catch(failed)}
                />
              ))}
            </ul>
          )
        }
      </WhenRead>
      {doing?.what === 'add' && <WebhookDialog onMade={made} onClose={close} />}
      {doing?.what === 'change' && <WebhookDialog webhook={doing.webhook} onClose={closeChanged} />}
      {doing?.what === 'deliveries' && (
        <DeliveriesDialog webhook={doing.webhook} onReplay={() => void reading.reload()} onClose={close} />
      )}
      {doing?.what === 'secret' && (
        <SecretDialog
          title={words.webhookSecret}
          label={words.secret}
          secret={doing.webhook.secret}
          onClose={close}
        />
      )}
      {doing?.what === 'tested' && (
        <Dialog title={texts.people.test} onClose={close}>
          <p>
            <Outcome delivery={doing.delivery} />
          </p>
          <p dir="auto">{doing.delivery.response}</p>
        </Dialog>
      )}
      {doing?.what === 'rotate' && (
        <Confirm
          title={words.rotate}
          action={words.rotate}
          run={() => rotate(doing.webhook)}
          onDone={({ data }) => made(data)}
          onClose={close}
        >
          <p>{words.rotateText}</p>
        </Confirm>
      )}
      {doing?.what === 'delete' && (
        <Confirm
          title={words.deleteWebhook}
          action={texts.delete}
          run={() => remove(doing.webhook)}
          onClose={closeChanged}
        >
          <p dir="auto">{doing.webhook.url}</p>
        </Confirm>
      )}
    </>
  )
}

export default function WebhooksPage() {
  const [doing, setDoing] = useState<Doing | undefined>()
  return (
    <AdminPage
      title={texts.webhooks}
      aside={
        <button type="button" class="button-primary" onClick={() => setDoing({ what: 'add' })}>
          <Icon name="add" /> {words.addWebhook}
        </button>
      }
    >
      {() => <Webhooks doing={doing} setDoing={setDoing} />}
    </AdminPage>
  )
}
