/** Creates a webhook, or changes one. */
import { api, sending, type Webhook, type WebhookWithSecret } from '../common/api.ts'
import { changedFields } from '../common/forms.ts'
import { LANGUAGES, language } from '../common/language.ts'
import { toast } from '../common/toasts.ts'
import { Check, Choice, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { useReading } from '../common/ui/reading.tsx'
import { write } from '../common/writes.ts'
import { later } from '../later-texts.ts'
import { texts } from '../texts.ts'
import { CHAT_EVENTS, webhookOf } from './webhooks.ts'

const words = texts.people
const { chat } = later

/** The chat tools, by their names. */
const CHATS = [
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['teams', 'Microsoft Teams'],
  ['mattermost', 'Mattermost'],
] as const

interface Props {
  /** The webhook to change; a new one if absent. */
  webhook?: Webhook
  /** Called after one was created. Its secret is shown only this once. */
  onMade?: (webhook: WebhookWithSecret) => void
  onClose: () => void
}

export function WebhookDialog({ webhook, onMade, onClose }: Props) {
  const projects = useReading(() => api.get('/api/projects', { query: { view: 'summary' } }))
  const send = async (form: FormData) => {
    const fields = webhookOf(form, words.kinds)
    if (webhook) {
      const body = changedFields<typeof fields>(webhook as typeof fields, fields)
      const path = { id: webhook.id }
      await write(sending('patch', '/api/webhooks/{id}', { path, body }))
      toast(words.webhookSaved)
      return onClose()
    }
    const { data } = await write(sending('post', '/api/webhooks', { body: fields }))
    onMade?.(data)
  }
  const options = [
    ['', texts.allProjects] as const,
    ...(projects.data ?? []).map(({ id, name }) => [id, name] as const),
  ]
  return (
    <FormDialog
      title={webhook ? words.changeWebhook : words.addWebhook}
      onClose={onClose}
      send={send}
      submit={webhook ? texts.save : words.addWebhook}
    >
      <Field
        name="url"
        label={words.url}
        type="url"
        value={webhook?.url}
        hint={words.urlHint}
        required
        maxLength={2000}
        autofocus
      />
      <Field name="description" label={texts.fields.description} value={webhook?.description} />
      <Choice
        name="projectId"
        label={texts.fields.project}
        value={webhook?.projectId ?? ''}
        options={options}
      />
      <Choice
        name="format"
        label={chat.format}
        value={webhook?.format ?? 'standard'}
        options={[['standard', chat.standard] as const, ...CHATS]}
        hint={chat.formatHint}
      />
      <fieldset class="field">
        <legend>{chat.eventsLegend}</legend>
        <div class="choices">
          {CHAT_EVENTS.map((event) => (
            <Check
              key={event}
              name="events"
              value={event}
              label={chat.events[event]}
              isTicked={webhook?.events.includes(event) ?? false}
            />
          ))}
        </div>
      </fieldset>
      <Choice
        name="language"
        label={chat.language}
        value={webhook?.language ?? language}
        options={Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name] as const)}
      />
      <fieldset class="field">
        <legend>{words.kindsLegend}</legend>
        <div class="choices">
          {Object.entries(words.kinds).map(([kind, label]) => (
            <Check
              key={kind}
              name="kinds"
              value={kind}
              label={label}
              isTicked={webhook?.kinds.includes(kind) ?? false}
            />
          ))}
        </div>
      </fieldset>
      <Check name="active" label={words.active} isTicked={webhook?.active ?? true} />
    </FormDialog>
  )
}
